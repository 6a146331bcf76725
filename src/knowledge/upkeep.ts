import type { createContents } from './contents.ts';
import type { KnowledgeDeps } from './deps.ts';
import type { RemovedTexts } from './search/removed-texts.ts';

/** Milliseconds between two looks. */
const LOOK_MS = 600_000;
/** Milliseconds after its end at which an expired store is deleted. */
const KEPT_MS = 30 * 86_400_000;
/** Stores that one look deletes. */
const BATCH = 100;

type Given = { contents: ReturnType<typeof createContents>; removedTexts: RemovedTexts };

/** What a process does for vector stores without being asked: deletes those that expired long ago, and what its indexes have of texts that are gone. */
export function createUpkeep(
  { stores, now, log }: Pick<KnowledgeDeps, 'stores' | 'now' | 'log'>,
  { contents, removedTexts }: Given,
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

  async function look(): Promise<void> {
    try {
      await deleteExpired();
      await removedTexts.tidy();
    } catch (error) {
      log.warn({ error }, 'Vector stores could not be looked after; it is tried again.');
    }
  }

  return {
    start(): void {
      removedTexts.start();
      timer = setInterval(() => {
        looking = looking.then(look);
      }, LOOK_MS).unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await looking;
      await removedTexts.stop();
    },
  };
}
