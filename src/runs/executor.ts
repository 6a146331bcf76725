import type { RunDeps } from './deps.ts';
import { RunEventWriter } from './events/batches.ts';
import { Teller } from './events/teller.ts';
import { execute, interrupted } from './execute.ts';
import { type EarlyRun, type Interruption, LiveRun } from './live.ts';
import { executeResponse } from './responses/execute-response.ts';
import { ResponseTeller } from './responses/teller.ts';
import { isResponse, type RunDocument } from './run.ts';

/** Runs that one process executes at a time, and those of one workspace among them. */
export type RunSlots = { all: number; ofWorkspace: number };

export type Executor = ReturnType<typeof createExecutor>;

/**
 * What this process executes, and who reads along with runs that wait for a place here. `doubt` is called where the store may hold a
 * run for this process that is not executed here any more.
 */
export function createExecutor(deps: RunDeps, slots: RunSlots, doubt: () => void) {
  const live = new Map<string, LiveRun>();
  /** Of each workspace that has any. */
  const counts = new Map<string, number>();
  const waiting = new Map<string, Teller>();
  /** By run that the store may hold for this process already: how many writers have not heard of it, for requests may meet at one. */
  const expected = new Map<string, number>();
  let isStopping = false;

  /**
   * Executes a run that is claimed for this process; its readers are those that waited, where none are given. `early`: the run is
   * not stored yet.
   */
  function launch(run: RunDocument, teller = waitingTeller(run), early?: EarlyRun): void {
    waiting.delete(run._id);
    expected.delete(run._id);
    const other = live.get(run._id);
    // Its own claim is not the last one any more.
    if (other && other.run.fence > run.fence) {
      teller.break(interrupted);
      return;
    }
    other?.interrupt('gone');
    const started = new LiveRun(run, teller, early);
    live.set(run._id, started);
    count(run.workspaceId, 1);
    started.done = executed(started)
      // It is told in the log, and to those who read along.
      .catch(doubt)
      .finally(() => {
        count(run.workspaceId, -1);
        if (live.get(run._id) === started) live.delete(run._id);
      });
  }

  function count(workspaceId: string, change: 1 | -1): void {
    const all = (counts.get(workspaceId) ?? 0) + change;
    if (all === 0) counts.delete(workspaceId);
    else counts.set(workspaceId, all);
  }

  /** How many runs may begin here, of a workspace or of any. */
  function places(workspaceId?: string): number {
    if (isStopping) return 0;
    const free = slots.all - live.size;
    if (workspaceId === undefined) return free;
    return Math.min(free, slots.ofWorkspace - (counts.get(workspaceId) ?? 0));
  }

  const executed = (started: LiveRun): Promise<void> =>
    isResponse(started.run) ? executeResponse(deps, started) : execute(deps, started);

  /** Those who have waited for the run here, where there are any. */
  function waitingTeller(run: RunDocument): Teller {
    const teller = waiting.get(run._id);
    teller?.continueWith(writerOf(deps, run));
    return teller ?? tellerOf(deps, run, false);
  }

  return {
    launch,
    places,
    isIdle: () => live.size === 0,
    ids: () => [...live.keys()],
    /** To be called before a run is written that is to be launched here: nobody else here may take it up meanwhile. */
    expect: (id: string): void => void expected.set(id, (expected.get(id) ?? 0) + 1),
    /** To be called where an expected run will not be launched by those who wrote it. */
    forsake(id: string): void {
      const others = (expected.get(id) ?? 0) - 1;
      if (others > 0) expected.set(id, others);
      else expected.delete(id);
    },
    /** Whether a run is executed here, or about to be. */
    has: (id: string): boolean => live.has(id) || expected.has(id),
    /** The runs here whose time is over at a moment. */
    lateIds: (at: Date) => [...live.values()].flatMap(({ run }) => (run.expiresAt <= at ? [run._id] : [])),
    /** Stops the execution of a run here; nothing happens where it is executed elsewhere. */
    interrupt: (id: string, why: Interruption) => live.get(id)?.interrupt(why),
    /** Keeps those who read along until the run has a place. */
    wait: (id: string, teller: Teller) => void (teller.channel && waiting.set(id, teller)),
    /** Those who wait for a run that ends without having begun. */
    takeWaiting(id: string): Teller | undefined {
      const teller = waiting.get(id);
      waiting.delete(id);
      return teller;
    },
    /** Gives up all runs, for other processes to go on with; resolves when nothing is executed any more. */
    async stop(): Promise<void> {
      isStopping = true;
      const mine = [...live.values()];
      for (const run of mine) run.interrupt('stop');
      await Promise.all(mine.map(({ done }) => done));
    },
  };
}

/** Keeps the events of a claim where the run is to have any; `stored`: from when on that has a sense. */
export const writerOf = (deps: RunDeps, run: RunDocument, stored?: Promise<void>): RunEventWriter | null =>
  run.isLogged ? new RunEventWriter(deps, run, stored) : null;

/** What tells of a run, in the words of its kind. */
export function tellerOf(deps: RunDeps, run: RunDocument, isRead: boolean, stored?: Promise<void>): Teller {
  const writer = writerOf(deps, run, stored);
  return isResponse(run) ? new ResponseTeller(run, isRead, writer) : new Teller(isRead, writer);
}
