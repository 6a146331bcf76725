import { isUnavailable } from '../storage/unavailable.ts';
import { type RunDeps, RunSuperseded, ToolFailed } from './deps.ts';
import { endTurn, type RunEnding, RunGone } from './end-run.ts';
import type { ThreadItem } from './items.ts';
import type { LiveRun } from './live.ts';
import { removeLate, removeLeft } from './remove-left.ts';
import type { RunDocument } from './run.ts';
import { change } from './transitions.ts';
import { ModelRefused } from './turn/ask-model.ts';
import { serverError } from './turn/last-error.ts';
import { BrokenAnswer } from './turn/read-chat.ts';
import { type ShowEarly, Speaker } from './turn/speaker.ts';
import { takeTurn } from './turn/take-turn.ts';
import { writeItem } from './write-item.ts';

/** Executes the turns of a run until the run ends or waits for outputs. Rejects where its end could not be written. */
export async function execute(deps: RunDeps, live: LiveRun): Promise<void> {
  const { run, teller } = live;
  try {
    teller.run('in_progress', run);
    for (let next: RunDocument | null = run; next; ) {
      live.run = next;
      next = await executeTurn(deps, live);
    }
  } catch (error) {
    if (error instanceof RunSuperseded || error instanceof RunGone) {
      teller.break(interrupted);
      if (error instanceof RunGone) await removeLeft(deps, run, { runId: run._id });
      await removeLate(deps, run);
      return;
    }
    deps.log.error({ error, runId: run._id }, 'A run could not be brought to its end; it is taken up again.');
    teller.break(interrupted);
    throw error;
  }
}

/** The run as it goes on; null where nothing more is to be done here. */
async function executeTurn(deps: RunDeps, live: LiveRun): Promise<RunDocument | null> {
  const { run, teller } = live;
  const write = (item: ThreadItem) => writeItem(deps, run, item);
  const speaker = new Speaker(run, { teller, write, showEarly: showEarlyOf(deps, live), now: deps.now });
  try {
    const ending = await takeTurn(deps, live, speaker).catch((error: unknown) =>
      endingOfError(deps, live, error),
    );
    if (ending.kind !== 'gone') await live.stored;
    return await endTurn(deps, live, speaker, ending);
  } finally {
    // A message that is shown after its thread was deleted would stay for ever.
    await speaker.silence();
  }
}

/** A message that cannot be shown early is shown at its end; one that another process has is nothing to go on with. */
const showEarlyOf =
  (deps: RunDeps, live: LiveRun): ShowEarly =>
  async (message, steps) => {
    const { run } = live;
    try {
      await writeItem(deps, run, message);
      const others = run.steps.filter(({ turn }) => turn !== run.turn);
      await change(deps.runs(), 'progress', run, { set: { steps: [...others, ...steps] } });
    } catch (error) {
      if (error instanceof RunSuperseded) live.interrupt('gone');
      else deps.log.warn({ error, runId: run._id }, 'A message could not be shown before its end.');
    }
  };

/** What a reader is told whose run goes on elsewhere, or is gone. */
export const interrupted = {
  message: 'The stream of this run was interrupted; read the run to see what became of it.',
  type: 'server_error',
  param: null,
  code: 'stream_interrupted',
};

function endingOfError({ log }: RunDeps, live: LiveRun, error: unknown): RunEnding {
  if (error instanceof RunSuperseded || error instanceof RunGone) throw error;
  const { interruption: why } = live;
  if (why) return { kind: why };
  // The run is taken up again once the store answers.
  if (isUnavailable(error)) throw error;
  if (error instanceof ModelRefused) return { kind: 'failed', error: error.error };
  if (error instanceof BrokenAnswer || error instanceof ToolFailed)
    return { kind: 'failed', error: serverError(error.message) };
  log.error({ error, runId: live.run._id }, 'A run failed by a defect.');
  return { kind: 'failed', error: serverError('The run failed inside the gateway.') };
}
