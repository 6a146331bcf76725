import type { RunDeps } from '../deps.ts';
import type { Executor } from '../executor.ts';
import type { RunDocument } from '../run.ts';
import { change } from '../transitions.ts';

/** Runs of a workspace that begin at its turn, where there are places enough for many turns. */
const MOST_A_TURN = 20;
/** Turns for which the places of a process are to last. */
const TURNS = 50;
/** Milliseconds after which a pass leaves what waits to the next one. */
const PASS_MS = 200;

type Given = { me: string; executor: Executor };

/**
 * The runs that wait for a place. Their workspaces take turns, each with its run that is due first, so that the many runs of one
 * keep no other one waiting for more than its turn.
 */
export function createQueue({ runs, now }: RunDeps, { me, executor }: Given) {
  /** Workspaces of which a run was left waiting here: a newer one of theirs waits behind it. */
  const crowded = new Set<string>();
  /** The workspace that had the last turn. */
  let last = '';

  const firstBehind = (workspaceId: string): Promise<Pick<RunDocument, 'workspaceId'> | null> =>
    runs()
      .find(
        { active: true, status: 'queued', workspaceId: { $gt: workspaceId } },
        { projection: { _id: 0, workspaceId: 1 } },
      )
      .sort({ workspaceId: 1 })
      .limit(1)
      .next();

  /** The workspace whose turn it is; null where no run waits. */
  async function next(): Promise<string | null> {
    const found = (last !== '' && (await firstBehind(last))) || (await firstBehind(''));
    last = found?.workspaceId ?? '';
    if (!found) crowded.clear();
    return found && last;
  }

  async function claim(run: RunDocument): Promise<boolean> {
    const claimed = await change(runs(), 'claim', run, {
      set: { owner: me, startedAt: now() },
      increase: { fence: 1, attempt: 1 },
    });
    if (claimed) executor.launch(claimed);
    return claimed !== null;
  }

  /** Whether any run of a workspace began at its turn. */
  async function takeTurn(workspaceId: string): Promise<boolean> {
    const most = Math.min(MOST_A_TURN, Math.max(1, Math.floor(executor.places() / TURNS)));
    const limit = Math.min(most, executor.places(workspaceId));
    if (limit <= 0) return false;
    const found = await runs()
      .find({ active: true, status: 'queued', workspaceId })
      .sort({ dueAt: 1 })
      .limit(limit)
      .toArray();
    if (found.length < limit) crowded.delete(workspaceId);
    return (await Promise.all(found.map(claim))).includes(true);
  }

  return {
    /** Whether a new run of a workspace begins here at once. */
    admits: (workspaceId: string): boolean => executor.places(workspaceId) > 0 && !crowded.has(workspaceId),
    /** To be called before a run is left waiting. */
    crowd: (workspaceId: string): void => void crowded.add(workspaceId),
    /** Begins runs that wait while there are places; answers whether any waited. */
    async claim(): Promise<boolean> {
      const until = performance.now() + PASS_MS;
      /** Workspaces that had a turn since a run began. */
      const passed = new Set<string>();
      let hasAny = false;
      while (executor.places() > 0 && performance.now() < until) {
        const workspaceId = await next();
        if (workspaceId === null) break;
        hasAny = true;
        if (passed.has(workspaceId)) break;
        passed.add(workspaceId);
        if (await takeTurn(workspaceId)) passed.clear();
      }
      return hasAny;
    },
  };
}

export type Queue = ReturnType<typeof createQueue>;
