import { type RunDeps, RunSuperseded } from './deps.ts';
import { endRun, type RunEnding, RunGone } from './end-run.ts';
import type { ThreadItem, TurnFinish } from './items.ts';
import type { LiveRun } from './live.ts';
import type { RunDocument } from './run.ts';
import { askModel, ModelRefused } from './turn/ask-model.ts';
import { serverError } from './turn/last-error.ts';
import { type ChatMessage, historyOf, requestOf, roomOf, systemMessages } from './turn/prompt.ts';
import { BrokenAnswer, readChat, type TurnAnswer } from './turn/read-chat.ts';
import { Speaker } from './turn/speaker.ts';
import { DEFAULT_WINDOW, estimatedTokens, truncated } from './turn/truncate.ts';
import { writeItem } from './write-item.ts';

/** Turns of a run at most. */
const MAX_TURNS = 64;
/** The newest items of a thread among which a turn looks for what to send. */
const MAX_HISTORY = 2000;

/** Executes the present turn of a run until the run ends or waits for outputs. Never rejects. */
export async function execute(deps: RunDeps, live: LiveRun): Promise<void> {
  const { run, teller } = live;
  const write = (item: ThreadItem) => writeItem(deps, run, item);
  const speaker = new Speaker(run, { teller, write, now: deps.now });
  try {
    teller.run('in_progress', run);
    const ending = await endingOf(deps, live, speaker).catch((error: unknown) =>
      endingOfError(deps, live, error),
    );
    await endRun(deps, live, speaker, ending);
  } catch (error) {
    if (error instanceof RunSuperseded || error instanceof RunGone) {
      teller.break(interrupted);
      return;
    }
    deps.log.error({ error, runId: run._id }, 'A run could not be brought to its end; it is taken up again.');
    teller.break(interrupted);
    throw error;
  }
}

/** What a reader is told whose run goes on elsewhere, or is gone. */
const interrupted = {
  message: 'The stream of this run was interrupted; read the run to see what became of it.',
  type: 'server_error',
  param: null,
  code: 'stream_interrupted',
};

function endingOfError({ log }: RunDeps, live: LiveRun, error: unknown): RunEnding {
  if (error instanceof RunSuperseded) throw error;
  const { interruption: why } = live;
  if (why) return { kind: why };
  if (error instanceof ModelRefused) return { kind: 'failed', error: error.error };
  if (error instanceof BrokenAnswer) return { kind: 'failed', error: serverError(error.message) };
  log.error({ error, runId: live.run._id }, 'A run failed by a defect.');
  return { kind: 'failed', error: serverError('The run failed inside the gateway.') };
}

async function endingOf(deps: RunDeps, live: LiveRun, speaker: Speaker): Promise<RunEnding> {
  const { run } = live;
  if (run.turn >= MAX_TURNS) {
    return { kind: 'failed', error: serverError(`A run has at most ${MAX_TURNS} turns.`) };
  }
  const items = await newestItems(deps, run);
  const done = items.filter(
    (item) => item.runId === run._id && item.turn === run.turn && item.finish !== null,
  );
  const [last] = done.slice(-1);
  // The process before this one died between the last item and the run: the model need not be asked again.
  if (last?.finish) return endingOfTurn(last.finish, last.kind === 'calls' ? last.calls : []);
  const before = items.filter((item) => item.runId !== run._id || item.turn !== run.turn);
  const answer = await answerOf(deps, live, { speaker, groups: historyOf(before) });
  if (answer === null) return { kind: 'incomplete', reason: 'max_prompt_tokens' };
  return finishTurn(answer, speaker);
}

async function newestItems({ items }: RunDeps, { threadId }: RunDocument): Promise<ThreadItem[]> {
  const found = await items()
    .find({ threadId })
    .sort({ createdAt: -1, _id: -1 })
    .limit(MAX_HISTORY)
    .toArray();
  return found.reverse();
}

type Asking = { speaker: Speaker; groups: ChatMessage[][] };

/** What the model says; null where the budget does not even hold the newest message. */
async function answerOf(
  deps: RunDeps,
  live: LiveRun,
  { speaker, groups }: Asking,
): Promise<TurnAnswer | null> {
  const { run } = live;
  const system = systemMessages(run);
  const room = roomOf(run);
  if (room.completion !== null && room.completion <= 0) return null;
  const budget = Math.min(room.prompt ?? Number.POSITIVE_INFINITY, DEFAULT_WINDOW) - estimatedTokens(system);
  if (room.prompt !== null && estimatedTokens(groups.at(-1) ?? []) > budget) return null;
  const ask = async (tokens: number) => {
    const messages = [...system, ...truncated(groups, run.truncationStrategy, tokens).flat()];
    return askModel(deps, run, requestOf(run, messages, room), live.signal);
  };
  const body = await ask(budget).catch((error: unknown) => {
    // Nothing is known of the model's window but that it is smaller.
    if (error instanceof ModelRefused && error.isTooLong) return ask(Math.floor(budget / 2));
    throw error;
  });
  return readChat(body, (piece) => speaker.take(piece), !run.parallelToolCalls);
}

/** Characters of a token, about: for providers that count nothing. */
const CHARACTERS_PER_TOKEN = 4;

async function finishTurn(answer: TurnAnswer, speaker: Speaker): Promise<RunEnding> {
  const said = answer.text + answer.refusal + speaker.calls.map((call) => call.arguments).join('');
  const usage = answer.usage ?? {
    promptTokens: 0,
    completionTokens: Math.ceil(said.length / CHARACTERS_PER_TOKEN),
  };
  const isCutShort = answer.finish === 'length';
  // Calls that were cut short have no whole arguments.
  const hasCalls = speaker.calls.length > 0 && !isCutShort;
  const finish: TurnFinish = { reason: answer.finish, usage, hasCalls };
  if (hasCalls) await speaker.endCalls(finish);
  else if (answer.finish === 'content_filter')
    await speaker.endMessage('incomplete', 'content_filter', finish);
  else if (isCutShort) await speaker.endMessage('incomplete', 'max_tokens', finish);
  else await speaker.endMessage('completed', null, finish);
  return endingOfTurn(finish, speaker.calls);
}

function endingOfTurn({ reason, usage, hasCalls }: TurnFinish, calls: Speaker['calls']): RunEnding {
  if (hasCalls) return { kind: 'requires_action', usage, calls };
  if (reason === 'length') return { kind: 'incomplete', reason: 'max_completion_tokens', usage };
  if (reason === 'content_filter') {
    const message = "The provider's content filter stopped the answer.";
    return { kind: 'failed', error: { code: 'invalid_prompt', message }, usage };
  }
  return { kind: 'completed', usage };
}
