import { type RunDeps, RunSuperseded } from './deps.ts';
import type { IncompleteReason, RunCall, TokenCounts } from './items.ts';
import type { Interruption, LiveRun } from './live.ts';
import { type RunDocument, type RunError, type StepStatus, sumOf, withStepsEnded } from './run.ts';
import { change, ownUpdate, type TransitionName } from './transitions.ts';
import type { Speaker } from './turn/speaker.ts';
import { closeMessages } from './upkeep/sweep.ts';
import { type LastItems, writeItemsWith } from './write-item.ts';

/** How a turn of a run ends here, and with most endings the run. */
export type RunEnding =
  | { kind: 'next_turn'; usage: TokenCounts }
  | { kind: 'completed'; usage: TokenCounts; also?: Partial<RunDocument> }
  | { kind: 'requires_action'; usage: TokenCounts; calls: RunCall[] }
  | {
      kind: 'incomplete';
      reason: NonNullable<RunDocument['incompleteReason']>;
      usage?: TokenCounts;
      also?: Partial<RunDocument>;
    }
  | { kind: 'failed'; error: RunError; usage?: TokenCounts }
  | { kind: Interruption };

/** What a turn has made by its end. `also` of an ending is written with it. */
type SaidInTurn = Pick<Speaker, 'steps' | 'breakOff'> & {
  /** What is to be written with the end of the turn; null where all is written. */
  takeLast(): LastItems | null;
};

/** The run, or its thread, was deleted. */
export class RunGone extends Error {}

/**
 * Writes how a turn ends, after the items that it ends with, and tells of it. Answers the run where another turn follows here;
 * null where nothing does. Throws RunSuperseded and RunGone.
 */
export async function endTurn(
  deps: RunDeps,
  live: LiveRun,
  speaker: SaidInTurn,
  ending: RunEnding,
): Promise<RunDocument | null> {
  if (ending.kind === 'gone') throw new RunGone();
  if (ending.kind === 'stop') {
    await change(deps.runs(), 'putBack', live.run);
    throw new RunSuperseded();
  }
  if (ending.kind === 'expire') return tellExpired(deps, live, speaker);
  const ended = await conclude(deps, live, speaker, ending as Concluding);
  if (ended && ending.kind === 'next_turn') return ended;
  if (ended) {
    live.teller.run(ended.status, ended);
    live.teller.done();
    return null;
  }
  // Somebody was first: by a request to cancel, or because the time is over.
  const now = await deps.runs().findOne({ _id: live.run._id });
  if (!now) throw new RunGone();
  const isOurs = now.owner === live.run.owner && now.fence === live.run.fence;
  if (now.status === 'cancelling' && isOurs) return endTurn(deps, live, speaker, { kind: 'cancel' });
  if (now.status === 'expired') return tellExpired(deps, live, speaker);
  throw new RunSuperseded();
}

type Concluding = Exclude<RunEnding, { kind: Interruption }> | { kind: 'cancel' };

async function conclude(
  deps: RunDeps,
  live: LiveRun,
  speaker: SaidInTurn,
  ending: Concluding,
): Promise<RunDocument | null> {
  const { run } = live;
  const at = deps.now();
  if (ending.kind === 'cancel') {
    await speaker.breakOff('run_cancelled', 'cancelled', null);
    await closeFormer(deps, run, 'run_cancelled');
    const steps = withStepsEnded(stepsOf(run, speaker), 'cancelled', at);
    return written(deps, run, 'cancel', { steps, cancelledAt: at });
  }
  const usage = ending.usage ? sumOf(run.usage, ending.usage) : run.usage;
  if (ending.kind === 'next_turn') {
    const set = { steps: stepsOf(run, speaker), usage, turn: run.turn + 1, attempt: 1 };
    return written(deps, run, 'progress', set);
  }
  if (ending.kind === 'requires_action') {
    const set = { steps: stepsOf(run, speaker), usage, pending: ending.calls };
    return written(deps, run, 'requireAction', set, speaker.takeLast());
  }
  if (ending.kind === 'failed') {
    await speaker.breakOff('run_failed', 'failed', stepError(ending.error));
    await closeFormer(deps, run, 'run_failed');
    const steps = withStepsEnded(stepsOf(run, speaker), 'failed', at, stepError(ending.error));
    return written(deps, run, 'fail', { steps, usage, failedAt: at, lastError: ending.error });
  }
  await speaker.breakOff('max_tokens', 'completed', null);
  const steps = stepsOf(run, speaker);
  const set = { ...ending.also, steps, usage };
  const last = speaker.takeLast();
  if (ending.kind === 'incomplete')
    return written(deps, run, 'stopShort', { ...set, incompleteReason: ending.reason }, last);
  return written(deps, run, 'complete', { ...set, completedAt: at }, last);
}

/** Ends what the process before this one was saying, where this one has not said it anew. */
async function closeFormer(
  deps: RunDeps,
  { _id, attempt }: RunDocument,
  reason: 'run_cancelled' | 'run_failed',
): Promise<void> {
  if (attempt > 1) await closeMessages(deps, [_id], reason);
}

/** Steps know two of the codes. */
const stepError = ({ code, message }: RunError): RunError => ({
  code: code === 'rate_limit_exceeded' ? code : 'server_error',
  message,
});

/** The steps of the run, those of the present turn as this process has made them. */
function stepsOf({ steps, turn }: RunDocument, speaker: SaidInTurn) {
  if (speaker.steps.length === 0) return steps;
  return [...steps.filter((step) => step.turn !== turn), ...speaker.steps];
}

/** Writes a change of the run, behind the last items of the turn where they are to be written yet. */
async function written(
  deps: RunDeps,
  run: RunDocument,
  name: TransitionName,
  set: Partial<RunDocument>,
  last: LastItems | null = null,
): Promise<RunDocument | null> {
  if (!last) return change(deps.runs(), name, run, { set });
  const { after, ...update } = ownUpdate(name, run, set);
  const isMet = await writeItemsWith(deps, run, last.items, {
    collection: deps.runs().collectionName,
    ...update,
  });
  last.tell();
  // Where it met nothing, others have changed the run, which may still be ours.
  return isMet ? after : change(deps.runs(), name, run, { set });
}

/** The run is expired in the store already, by whoever noticed; what is open here ends with it. */
async function tellExpired(deps: RunDeps, live: LiveRun, speaker: SaidInTurn): Promise<null> {
  await speaker.breakOff('run_expired' satisfies IncompleteReason, 'expired' satisfies StepStatus, null);
  const run = await deps
    .runs()
    .findOneAndUpdate(
      { _id: live.run._id, fence: live.run.fence, status: 'expired' },
      { $set: { steps: withStepsEnded(stepsOf(live.run, speaker), 'expired', deps.now()) } },
      { returnDocument: 'after' },
    );
  if (!run) throw new RunGone();
  live.teller.run('expired', run);
  live.teller.done();
  return null;
}
