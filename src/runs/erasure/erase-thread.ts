import { type ContentPart, isHostedCall, type KeptItem, type ThreadItem } from '../items.ts';
import type { ErasableThread, ErasedCounts, ErasureDeps } from './deps.ts';
import { eraseLogs } from './erase-logs.ts';
import { noteErased } from './erased-runs.ts';

/** Kinds of items that count as messages: calls of tools do not. */
export const SAID: readonly (ThreadItem | KeptItem)['kind'][] = ['message', 'item'];

export type ErasureOptions = { attached: boolean };

/**
 * Removes a thread with its messages, its runs and their events, the vector store of its attachments, the files that tools made on
 * it, and the bodies of the logs of its runs; with `attached` also the files that its messages brought along, out of all vector
 * stores. The thread goes last, so that what a killed process has left of it is found again.
 */
export async function eraseThread(
  deps: ErasureDeps,
  thread: ErasableThread,
  { attached }: ErasureOptions,
): Promise<ErasedCounts> {
  const { _id: threadId, organisationId, workspaceId } = thread;
  const runs = await deps
    .runs()
    .find({ threadId, organisationId, workspaceId }, { projection: { _id: 1, traceId: 1 } })
    .toArray();
  const runIds = runs.map(({ _id }) => _id);
  const erased = runs.map((run) => ({ ...run, organisationId, workspaceId }));
  await noteErased(deps.erasedRuns(), erased, deps.now());
  // Before the runs go: without them nobody finds their logs any more. What a run logs until it is given up comes after.
  const logged = await eraseLogs(deps, organisationId, runs);
  await deps.batches().deleteMany({ runId: { $in: runIds }, organisationId, workspaceId });
  await deps.forgetThread(threadId);
  const logs = logged + (await eraseLogs(deps, organisationId, runs));
  const inOwnStore = await deps.forgetOwnStore(thread);
  const { files, inStores } = await eraseFiles(deps, thread, attached);
  await deps.batches().deleteMany({ runId: { $in: runIds }, organisationId, workspaceId });
  const own = { threadId, organisationId, workspaceId };
  const messages = await deps.items().countDocuments({ ...own, kind: { $in: SAID } } as object);
  await deps.items().deleteMany(own);
  // What a response was asked lies with itself until it has been answered.
  await deps.items().deleteMany({ runId: { $in: runIds }, organisationId, workspaceId });
  const { deletedCount } = await deps.threads().deleteOne({ _id: threadId, organisationId, workspaceId });
  // A message that was written meanwhile found its thread still there.
  await deps.items().deleteMany(own);
  const vectorStoreFiles = inOwnStore + inStores;
  return { threads: deletedCount, messages, runs: runs.length, files, vectorStoreFiles, logs };
}

async function eraseFiles(
  deps: ErasureDeps,
  { _id: threadId, organisationId, workspaceId }: ErasableThread,
  attached: boolean,
): Promise<{ files: number; inStores: number }> {
  const owner = { organisationId, workspaceId };
  const ids = new Set<string>();
  for await (const item of deps.items().find({ threadId, kind: { $ne: 'item' }, ...owner } as object)) {
    const found = item.runId !== null ? madeFor(item) : attached ? broughtBy(item) : [];
    for (const id of found) ids.add(id);
  }
  const inStores = await deps.storeFiles(owner, [...ids]);
  let files = 0;
  for (const id of ids) if (await deps.files.remove(owner, id)) files++;
  return { files, inStores };
}

/** The files that tools made; those that a search found in a store are not its own. */
const madeFor = (item: ThreadItem): string[] =>
  (item.kind === 'message'
    ? item.content
    : item.calls.filter(isHostedCall).flatMap(({ parts }) => parts)
  ).flatMap(filesOfPart);

const broughtBy = (item: ThreadItem): string[] =>
  item.kind === 'message'
    ? [...(item.attachments ?? []).map(({ file_id }) => file_id), ...item.content.flatMap(filesOfPart)]
    : [];

type PathAnnotation = { type?: unknown; file_path?: { file_id?: unknown } };

function filesOfPart(part: ContentPart): string[] {
  if (part.type === 'image_file') return [part.image_file.file_id];
  if (part.type !== 'text') return [];
  return (part.text.annotations as PathAnnotation[]).flatMap(({ type, file_path }) =>
    type === 'file_path' && typeof file_path?.file_id === 'string' ? [file_path.file_id] : [],
  );
}
