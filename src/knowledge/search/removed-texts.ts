import { grownCache } from '../../lib/grown-cache.ts';
import { REMOVAL } from '../contents.ts';
import type { KnowledgeDeps } from '../deps.ts';
import { formOf, indexNameOf, type VectorStoreDocument } from '../documents.ts';
import type { VectorIndex } from '../index/vector-index.ts';
import type { Freshness } from './freshness.ts';

/** Milliseconds from a removal to the look for it: those that come together are looked for once. */
const GATHER_MS = 500;
/** Milliseconds after its last write until which the file of an index that is not open may still have removed texts. */
const SETTLED_MS = 600_000;
const MOST_KNOWN = 10_000;

export type RemovedTexts = ReturnType<typeof createRemovedTexts>;

type Deps = Pick<KnowledgeDeps, 'stores' | 'changes' | 'log'>;

/** Takes texts out of the index soon after they have left their stores, though nobody searches for them. */
export function createRemovedTexts(
  { stores, changes, log }: Deps,
  { index, freshness }: { index: VectorIndex; freshness: Freshness },
) {
  /** Of each store, the moment of the last removal that this process has dealt with. */
  const done = grownCache<number>(MOST_KNOWN);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function look(): Promise<void> {
    const kept = await index.stores();
    if (kept.length === 0) return;
    const names = kept.map(({ store }) => store);
    const found = await stores()
      .find(
        { _id: { $in: names.map((name) => formOf(name).storeId) } },
        { projection: { removedAt: 1, sign: 1 } },
      )
      .toArray();
    // A store that is gone has no index, and any other one that of the form which is searched.
    const present = new Map(found.map((store) => [indexNameOf(store), store]));
    await forget(names.filter((name) => !present.has(name)));
    for (const { store, writtenAt } of kept) await shed(store, writtenAt, present.get(store)?.removedAt);
  }

  async function shed(store: string, writtenAt: number, removedAt: VectorStoreDocument['removedAt']) {
    if (!removedAt || done.get(store) === removedAt.getTime()) return;
    // One that nobody has searched here since the start is not opened for this, and goes as a whole.
    if (index.isShared || freshness.knows(store)) await freshness.shed(store);
    else if (writtenAt - removedAt.getTime() < SETTLED_MS) await forget([store]);
    done.set(store, removedAt.getTime());
  }

  async function forget(gone: string[]): Promise<void> {
    for (const store of gone) freshness.forget(store);
    if (gone.length > 0) await index.forget(gone);
  }

  function soon(): void {
    if (isStopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      looking = looking
        .then(look)
        .catch((error: unknown) =>
          log.warn({ error }, 'Removed texts are still in an index of vector stores; it is tried again.'),
        );
    }, GATHER_MS).unref();
  }

  changes.subscribe(async (kind) => {
    if (kind === REMOVAL) soon();
  });

  return {
    /** Begins with what was removed while this process did not run. */
    start: soon,
    /** Looks at everything anew, also at what processes have left that are gone. */
    async tidy(): Promise<void> {
      await looking;
      await look();
      await index.tidy();
    },
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
