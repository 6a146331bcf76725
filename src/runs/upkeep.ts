import type { RunDeps } from './deps.ts';
import type { Executor } from './executor.ts';
import type { createInstances } from './instances.ts';
import type { RunDocument } from './run.ts';
import { overdue, takeOver } from './sweep.ts';
import { change } from './transitions.ts';

/** Milliseconds between two looks for runs to begin, and for requests to cancel that other processes took. */
const LOOK_MS = 250;
/** Milliseconds between two signs of life. */
const BEAT_MS = 2000;
const CLAIMS_A_LOOK = 20;

type Given = {
  me: string;
  executor: Executor;
  instances: ReturnType<typeof createInstances>;
  expire: (run: RunDocument) => Promise<unknown>;
};

/** What a process does for runs without being asked: claims, takes over, and ends what is late. */
export function createUpkeep(deps: RunDeps, { me, executor, instances, expire }: Given) {
  const { runs, now, log } = deps;
  const timers: NodeJS.Timeout[] = [];
  let isStopping = false;
  let looking: Promise<void> = Promise.resolve();
  let beating: Promise<void> = Promise.resolve();

  async function claimQueued(): Promise<void> {
    if (executor.places() <= 0) return;
    const found = await runs()
      .find({ status: 'queued' })
      .sort({ priority: 1, queuedAt: 1 })
      .limit(CLAIMS_A_LOOK)
      .toArray();
    for (const run of found) {
      if (executor.places() <= 0) return;
      const claimed = await change(runs(), 'claim', run, {
        set: { owner: me, startedAt: now() },
        increase: { fence: 1, attempt: 1 },
      });
      if (claimed) executor.launch(claimed);
    }
  }

  async function look(): Promise<void> {
    if (!executor.isIdle()) {
      const asked = await runs()
        .find({ owner: me, status: 'cancelling' }, { projection: { _id: 1 } })
        .toArray();
      for (const { _id } of asked) executor.interrupt(_id, 'cancel');
    }
    await claimQueued();
  }

  async function beat(): Promise<void> {
    for (const dead of await instances.beat()) {
      if (isStopping) return;
      const { taken, isAll } = await takeOver(deps, { from: dead, to: me, places: executor.places() });
      for (const run of taken) executor.launch(run);
      if (isAll) await instances.forget(dead);
    }
    for (const run of await overdue(deps)) await expire(run);
  }

  const guarded = (what: () => Promise<void>) => async (): Promise<void> => {
    try {
      await what();
    } catch (error) {
      log.warn({ error }, 'The engine of runs could not look after them; it tries again.');
    }
  };
  const lookSafely = guarded(look);
  const beatSafely = guarded(beat);

  return {
    async start(): Promise<void> {
      await beat();
      timers.push(
        setInterval(() => {
          looking = looking.then(lookSafely);
        }, LOOK_MS).unref(),
        setInterval(() => {
          beating = beating.then(beatSafely);
        }, BEAT_MS).unref(),
      );
    },
    async stop(): Promise<void> {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all([looking, beating]);
    },
  };
}
