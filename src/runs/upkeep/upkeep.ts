import type { Changes } from '../../storage/changes.ts';
import type { RunDeps } from '../deps.ts';
import type { Executor } from '../executor.ts';
import type { RunDocument } from '../run.ts';
import { type createInstances, DEAD_AFTER_MS } from './instances.ts';
import type { Queue } from './queue.ts';
import { closeEnded, hasClosing, overdue, takeOver } from './sweep.ts';

/** Milliseconds between two looks for runs to begin, and for requests to cancel that other processes took. */
const LOOK_MS = 250;
/** Milliseconds after the last sign of a run for which the looks go on; later ones come with the signs of life. */
const RESTLESS_MS = 10_000;
/** Milliseconds between two signs of life. */
const BEAT_MS = 2000;

type Given = {
  me: string;
  changes: Pick<Changes, 'publish' | 'subscribe'>;
  executor: Executor;
  queue: Pick<Queue, 'claim'>;
  instances: ReturnType<typeof createInstances>;
  expire: (run: RunDocument) => Promise<unknown>;
};

export type Upkeep = ReturnType<typeof createUpkeep>;

/**
 * What a process does for runs without being asked: claims, takes over, and ends what is late. It begins with the first run of the
 * installation that the process knows of; before, it costs nothing.
 */
export function createUpkeep(deps: RunDeps, { me, changes, executor, queue, instances, expire }: Given) {
  const { runs, log } = deps;
  let isStopping = false;
  let beginning: Promise<void> | null = null;
  let telling: Promise<void> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  let stirredAt = 0;
  let isInDoubt = false;
  let beatAt = performance.now();

  const stir = () => {
    stirredAt = performance.now();
  };

  async function claimQueued(): Promise<void> {
    if (await queue.claim()) stir();
  }

  /** Goes on with the runs that the store holds for this process, and that it does not execute. */
  async function takeUpOwn(): Promise<void> {
    isInDoubt = false;
    const own = { from: me, to: me, places: executor.places() };
    const { taken, isAll } = await takeOver(deps, own, executor);
    for (const run of taken) executor.launch(run);
    if (!isAll) isInDoubt = true;
  }

  async function look(): Promise<void> {
    if (isInDoubt) await takeUpOwn();
    if (executor.isIdle() && performance.now() - stirredAt > RESTLESS_MS) return;
    if (!executor.isIdle()) {
      const asked = await runs()
        .find({ active: true, owner: me, status: 'cancelling' }, { projection: { _id: 1 } })
        .toArray();
      for (const { _id } of asked) executor.interrupt(_id, 'cancel');
    }
    await claimQueued();
  }

  /** Gives up what other processes have taken over, where this one gave no sign of life for long. */
  async function giveUpLost(): Promise<void> {
    const ids = executor.ids();
    const kept = await runs()
      .find({ _id: { $in: ids }, owner: me }, { projection: { _id: 1 } })
      .toArray();
    const mine = new Set(kept.map(({ _id }) => _id));
    for (const id of ids) if (!mine.has(id)) executor.interrupt(id, 'gone');
    // One of them may have been stored just now.
    isInDoubt = true;
  }

  /** Gives up what another process has found to be late. */
  async function giveUpExpired(): Promise<void> {
    const late = executor.lateIds(deps.now());
    if (late.length === 0) return;
    const expired = await runs()
      .find({ _id: { $in: late }, status: 'expired' }, { projection: { _id: 1 } })
      .toArray();
    for (const { _id } of expired) executor.interrupt(_id, 'expire');
  }

  async function beat(): Promise<void> {
    const isLate = performance.now() - beatAt > DEAD_AFTER_MS;
    beatAt = performance.now();
    if (isLate && !executor.isIdle()) await giveUpLost();
    for (const dead of await instances.beat()) {
      if (isStopping) return;
      const { taken, isAll } = await takeOver(deps, { from: dead, to: me, places: executor.places() });
      for (const run of taken) executor.launch(run);
      if (isAll) await instances.forget(dead);
    }
    for (const run of await overdue(deps)) await expire(run);
    await giveUpExpired();
    await closeEnded(deps);
    await claimQueued();
  }

  const guarded = (what: () => Promise<void>) => async (): Promise<void> => {
    try {
      await what();
    } catch (error) {
      // What was claimed meanwhile may be ours without our knowing.
      isInDoubt = true;
      log.warn({ error }, 'The engine of runs could not look after them; it tries again.');
    }
  };
  const looking = repeated(guarded(look), LOOK_MS);
  const beating = repeated(guarded(beat), BEAT_MS);

  /** Resolves when the other processes would notice that this one has died. */
  function begin(): Promise<void> {
    stir();
    beginning ??= beat()
      .then(() => {
        if (isStopping) return;
        looking.begin();
        beating.begin();
      })
      .catch((error: unknown) => {
        beginning = null;
        throw error;
      });
    return beginning;
  }

  const hear = (): void => {
    if (isStopping) return;
    begin().catch((error: unknown) => {
      log.warn({ error }, 'The engine of runs could not begin; it tries again.');
      retry = setTimeout(hear, BEAT_MS).unref();
    });
  };
  changes.subscribe(async (kind) => {
    if (kind === 'run') hear();
  });

  return {
    /** To be called where the store may hold a run for this process that is not executed: the next look goes on with it. */
    doubt: (): void => {
      isInDoubt = true;
    },
    /** To be called before a run is made or goes on here; the other processes are told of the first. */
    async begin(): Promise<void> {
      stir();
      if (beginning !== null) return beginning;
      await begin();
      telling = changes.publish('run');
    },
    /** Begins where runs are left from before. */
    async start(): Promise<void> {
      const isActive = await runs().findOne({ active: true }, { projection: { _id: 1 } });
      if (isActive || (await hasClosing(deps))) await begin();
    },
    async stop(): Promise<void> {
      isStopping = true;
      clearTimeout(retry);
      await Promise.allSettled([beginning, telling]);
      await Promise.all([looking.end(), beating.end()]);
    },
  };
}

/** Does something again and again; what takes longer than the time between two beginnings leaves the next one out. */
function repeated(work: () => Promise<void>, ms: number) {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | null = null;
  const once = () => {
    current ??= work().finally(() => {
      current = null;
    });
  };
  return {
    begin(): void {
      timer = setInterval(once, ms).unref();
    },
    /** Resolves when nothing of it is under way any more. */
    async end(): Promise<void> {
      clearInterval(timer);
      await current;
    },
  };
}
