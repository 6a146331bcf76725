import { GatewayError } from '../../../errors/index.ts';
import type { AttachedFile, VectorStoreDocument } from '../../../knowledge/index.ts';
import type { GraphContext } from '../../context.ts';
import { notFound, requireId } from '../caller.ts';
import { requireUnexpired } from './find.ts';

/** A file as a caller names it, with what is checked already. */
export type NamedFile = Omit<AttachedFile, 'filename'>;

/** Files that a store may have. */
const MOST_FILES = 10_000;
/** Files that are looked for at a time. */
const AT_ONCE = 50;

type Owner = { organisationId: string; workspaceId: string };

/** Files with their names. Throws NOT_FOUND for the first that the workspace does not have. */
export async function existingFiles<T extends { fileId: string }>(
  context: GraphContext,
  owner: Owner,
  named: readonly T[],
): Promise<(T & { filename: string })[]> {
  for (const { fileId } of named) requireId('file', fileId);
  const unique = [...new Map(named.map((file) => [file.fileId, file])).values()];
  const found: (T & { filename: string })[] = [];
  for (let at = 0; at < unique.length; at += AT_ONCE)
    found.push(...(await Promise.all(unique.slice(at, at + AT_ONCE).map(withName))));
  return found;

  async function withName(file: T): Promise<T & { filename: string }> {
    const known = await context.files.find(owner, file.fileId);
    if (!known) throw notFound('file', file.fileId);
    return { ...file, filename: known.filename };
  }
}

/** Puts files into a store, to be indexed. Throws VALIDATION_FAILED where it has expired, or would have too many. */
export async function attach(
  context: GraphContext,
  store: VectorStoreDocument,
  { files, batchId }: { files: readonly AttachedFile[]; batchId: string | null },
): Promise<void> {
  requireUnexpired(context, store);
  const counts = (await context.knowledge.counts('storeId', [store._id])).get(store._id);
  const present = counts ? counts.in_progress + counts.completed + counts.failed + counts.cancelled : 0;
  if (present + files.length > MOST_FILES) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: `A vector store has at most ${MOST_FILES} files, and this one has ${present}.`,
    });
  }
  await context.knowledge.attach(store, files, { batchId, headers: context.request.headers });
  await context.knowledge.wake();
}
