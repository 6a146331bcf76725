import { existsSync } from 'node:fs';
import type { ThreadLine } from '../lib/threads/thread-line.ts';
import type { createContents } from './contents.ts';
import type { KnowledgeDeps } from './deps.ts';
import type { IndexCalls } from './index/messages.ts';
import type { Freshness } from './search/freshness.ts';

/** Milliseconds between two looks. */
const LOOK_MS = 600_000;
/** Milliseconds after its end at which an expired store is deleted. */
const KEPT_MS = 30 * 86_400_000;
/** Stores that one look deletes. */
const BATCH = 100;

type Given = {
  contents: ReturnType<typeof createContents>;
  index: ThreadLine<IndexCalls>;
  freshness: Freshness;
};

/** What a process does for vector stores without being asked: deletes those that expired long ago, and its indexes of those that are gone. */
export function createUpkeep(
  { stores, cache, now, log }: Pick<KnowledgeDeps, 'stores' | 'cache' | 'now' | 'log'>,
  { contents, index, freshness }: Given,
) {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function deleteExpired(): Promise<void> {
    const limit = new Date(now().getTime() - KEPT_MS);
    const expired = await stores()
      .find({ expiresAt: { $lte: limit } }, { projection: { _id: 1 } })
      .limit(BATCH)
      .toArray();
    for (const { _id } of expired) {
      await stores().deleteOne({ _id, expiresAt: { $lte: limit } });
      await contents.dropStore(_id);
    }
  }

  async function forgetDeleted(): Promise<void> {
    // The thread starts by the first call: where there is no index, there is nothing to ask.
    if (!existsSync(cache.directory)) return;
    const kept = await index.ask('stores');
    if (kept.length === 0) return;
    const present = await stores()
      .find({ _id: { $in: kept } }, { projection: { _id: 1 } })
      .toArray();
    const known = new Set(present.map(({ _id }) => _id));
    const gone = kept.filter((store) => !known.has(store));
    for (const store of gone) freshness.forget(store);
    if (gone.length > 0) await index.ask('forget', gone);
  }

  async function look(): Promise<void> {
    try {
      await deleteExpired();
      await forgetDeleted();
    } catch (error) {
      log.warn({ error }, 'Vector stores could not be looked after; it is tried again.');
    }
  }

  return {
    start(): void {
      timer = setInterval(() => {
        looking = looking.then(look);
      }, LOOK_MS).unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await looking;
    },
  };
}
