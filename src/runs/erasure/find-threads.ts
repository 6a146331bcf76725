import type { ErasableThread, ErasureDeps } from './deps.ts';
import { SAID } from './erase-thread.ts';

export type ThreadChoice = {
  organisationId: string;
  /** Null for all of the organisation. */
  workspaceId: string | null;
  /** Pairs that its metadata has to have; empty for any. */
  metadata: Readonly<Record<string, string>>;
  /** Nothing may have happened on it since; null for any. */
  before: Date | null;
};

/** The threads of a choice, in the order of their ids. */
export async function* chosenThreads(
  deps: ErasureDeps,
  { organisationId, workspaceId, metadata, before }: ThreadChoice,
): AsyncGenerator<ErasableThread> {
  const pairs = Object.entries(metadata);
  const filter = {
    organisationId,
    ...(workspaceId !== null && { workspaceId }),
    ...(before !== null && { lastUpdatedAt: { $lte: before } }),
  };
  for await (const thread of deps.threads().find(filter).sort({ _id: 1 })) {
    // Keys of metadata may have dots, which a filter would take for a path.
    if (!pairs.every(([key, value]) => thread.metadata[key] === value)) continue;
    if (before === null || (await isStill(deps, thread, before))) yield thread;
  }
}

/** Threads of all organisations on which nothing has happened since a moment, least lately changed first. */
export async function* stillThreads(deps: ErasureDeps, before: Date): AsyncGenerator<ErasableThread> {
  const found = deps
    .threads()
    .find({ lastUpdatedAt: { $lte: before } })
    .sort({ lastUpdatedAt: 1 });
  for await (const thread of found) if (await isStill(deps, thread, before)) yield thread;
}

/** Whether nothing was said on a thread since, and no run goes on. One that was in use is noted so, and found no more. */
async function isStill(
  { items, runs, threads }: ErasureDeps,
  thread: ErasableThread,
  before: Date,
): Promise<boolean> {
  const { _id: threadId } = thread;
  if (await runs().findOne({ threadId, active: true }, { projection: { _id: 1 } })) return false;
  const [said] = await items()
    .find({ threadId, kind: { $in: SAID } } as object, { projection: { createdAt: 1 } })
    .sort({ createdAt: -1 })
    .limit(1)
    .toArray();
  if (!said || said.createdAt <= before) return true;
  await threads().updateOne(
    { _id: threadId, lastUpdatedAt: { $lt: said.createdAt } },
    { $set: { lastUpdatedAt: said.createdAt } },
  );
  return false;
}
