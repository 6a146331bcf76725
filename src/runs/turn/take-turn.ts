import { type RunDeps, ToolFailed } from '../deps.ts';
import { type RunEnding, RunGone } from '../end-run.ts';
import { type HostedCall, isForCaller, type RunCall, type ThreadItem, type TurnFinish } from '../items.ts';
import type { LiveRun } from '../live.ts';
import type { RunDocument } from '../run.ts';
import { type OfferedTools, offeredTools } from '../tools/offered.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';
import { askModel, ModelRefused } from './ask-model.ts';
import { bytesOf, tokensOf } from './count-tokens.ts';
import { withImages } from './images.ts';
import { serverError } from './last-error.ts';
import { newestItems } from './newest-items.ts';
import { type ChatMessage, historyOf, type Room, requestOf, roomOf, systemMessages } from './prompt.ts';
import { readChat, type TurnAnswer } from './read-chat.ts';
import type { Inheritance, Speaker } from './speaker.ts';
import { noTokens } from './steps.ts';
import { storeOpening } from './store-opening.ts';
import { DEFAULT_WINDOW, isMoreThan, truncated } from './truncate.ts';

/** Turns of a run at most. */
const MAX_TURNS = 64;
/** The newest items of a thread among which a turn looks for what to send. */
const MAX_HISTORY = 2000;
/** Bytes of a history that any model takes. */
const SMALL = 2000;
/** Tokens that are left for an answer where the run says nothing of it. */
const USUAL_ANSWER = 4096;
/** Characters of a token, about: for providers that count nothing. */
const CHARACTERS_PER_TOKEN = 4;

/** Asks the model once, and answers those of its calls that the gateway can answer; says how the run goes on. */
export async function takeTurn(deps: RunDeps, live: LiveRun, speaker: Speaker): Promise<RunEnding> {
  const { run } = live;
  if (run.turn >= MAX_TURNS) {
    return { kind: 'failed', error: serverError(`A run has at most ${MAX_TURNS} turns.`) };
  }
  if (run.attempt > 1 && run.turn === 0) await requireBeginning(deps, run);
  const [items, offered] = await Promise.all([
    live.takeHistory()?.slice(-MAX_HISTORY) ?? newestItems(deps, run.threadId, MAX_HISTORY),
    offeredTools(deps.tools, run),
  ]);
  const isOfTurn = (item: ThreadItem) => item.runId === run._id && item.turn === run.turn;
  const before = items.filter((item) => !isOfTurn(item));
  speaker.inherit(inheritanceOf(run, before, offered));
  const present = items.filter(isOfTurn);
  let finish = present.findLast((item) => item.finish !== null)?.finish ?? null;
  const isTakenOver = finish !== null && run.attempt > 1;
  // The process before this one died behind the last item: the model need not be asked again.
  if (finish) speaker.recall(present);
  else {
    const answer = await answerOf(deps, live, { speaker, groups: historyOf(before), offered });
    if (answer === null) return { kind: 'incomplete', reason: 'max_prompt_tokens' };
    finish = await finishTurn(answer, speaker);
  }
  if (run.attempt > 1) await removeUnfinished(deps, run);
  if (finish.hasCalls)
    await speaker.answerCalls(finish, (call, { tell, isFirst }) =>
      // Calls behind the first ones without an output had not begun.
      answerCall(call, { live, offered, isRepeated: isTakenOver && isFirst, tell }),
    );
  return endingOfTurn(speaker.isContinued ? { ...finish, usage: noTokens } : finish, speaker.calls);
}

/** Stores what the process before this one may not have. Throws RunGone where it has not even stored the thread. */
async function requireBeginning(deps: RunDeps, run: RunDocument): Promise<void> {
  const { _id, threadId, owner, fence } = run;
  if (await deps.hasThread(threadId)) return storeOpening(deps, run);
  await deps.items().deleteMany({ threadId });
  await deps.runs().deleteOne({ _id, owner, fence });
  throw new RunGone();
}

/** What the turns before have left: sources for all messages of the run, and parts for the first behind them. */
function inheritanceOf(
  run: RunDocument,
  before: readonly ThreadItem[],
  { byName }: OfferedTools,
): Inheritance {
  const own = before.filter(({ runId }) => runId === run._id);
  const lastMessage = own.findLastIndex(({ kind }) => kind === 'message');
  const callsIn = (items: readonly ThreadItem[]) =>
    items
      .flatMap((item) => (item.kind === 'calls' ? item.calls : []))
      .filter((call) => call.type !== 'function');
  return {
    offered: byName,
    citations: callsIn(own).flatMap(({ citations }) => citations),
    parts: callsIn(own.slice(lastMessage + 1)).flatMap(({ parts }) => parts),
  };
}

/** Removes what a process before this one had begun to say in the turn, where this one has not said it anew. */
async function removeUnfinished({ items }: RunDeps, { _id, turn, fence }: RunDocument): Promise<void> {
  await items().deleteMany({ runId: _id, turn, status: 'in_progress', fence: { $lt: fence } });
}

type Asking = { speaker: Speaker; groups: ChatMessage[][]; offered: OfferedTools };

/** What the model says; null where the budget does not even hold the newest message. */
async function answerOf(
  deps: RunDeps,
  live: LiveRun,
  { speaker, groups, offered }: Asking,
): Promise<TurnAnswer | null> {
  const { run } = live;
  const system = systemMessages(run);
  const room = roomOf(run);
  if (room.completion !== null && room.completion <= 0) return null;
  const newest = groups.at(-1) ?? [];
  if (room.prompt !== null && (await isMoreThan(room.prompt, [...system, ...newest]))) return null;
  const budget = await budgetOf(deps, run, room, [...system, ...groups.flat()]);
  const own = bytesOf(system) <= SMALL ? bytesOf(system) : await tokensOf(system);
  const ask = async (tokens: number) => {
    const history = await truncated(groups, run.truncationStrategy, tokens - own);
    const messages = [...system, ...history.flat()];
    const shown = await withImages(deps, run, messages);
    return askModel(deps, run, requestOf(run, { messages: shown, room, offered }), live.signal);
  };
  const body = await ask(budget).catch(async (error: unknown) => {
    // The model takes less than it was thought to: it is sent half of what it was sent.
    if (error instanceof ModelRefused && error.isTooLong)
      return ask(Math.floor(Math.min(budget, await tokensOf(groups.flat())) / 2));
    throw error;
  });
  await live.stored;
  return readChat(body, (piece) => speaker.take(piece), !run.parallelToolCalls);
}

/** Tokens that a request may have: what its run has left, and what leaves the model room to answer. */
async function budgetOf(
  { contextWindow }: RunDeps,
  run: RunDocument,
  { prompt, completion }: Room,
  messages: readonly ChatMessage[],
): Promise<number> {
  const left = prompt ?? Number.POSITIVE_INFINITY;
  // No model has so small a window: nothing need be looked up.
  if (bytesOf(messages) <= SMALL) return left;
  const window = (await contextWindow(run)) ?? DEFAULT_WINDOW;
  const answer = Math.min(completion ?? USUAL_ANSWER, window / 4);
  return Math.min(left, Math.floor(window - answer));
}

async function finishTurn(answer: TurnAnswer, speaker: Speaker): Promise<TurnFinish> {
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
  return finish;
}

type Answering = { live: LiveRun; offered: OfferedTools } & Pick<ToolContext, 'isRepeated' | 'tell'>;

async function answerCall(
  { id, name, type, arguments: given }: HostedCall,
  { live, offered, isRepeated, tell }: Answering,
): Promise<ToolOutput> {
  const found = offered.byName.get(name);
  if (found) {
    const call = { id, name: found.definition.name, arguments: given };
    return found.tool.call(call, { run: live.run, signal: live.signal, isRepeated, tell });
  }
  // What an MCP server offers may change between two turns, and the model remembers the turns before.
  if (type === 'mcp') return { output: `The tool ${name} is not available any more.`, details: {} };
  // A run that is taken up again may find less at hand than before.
  throw new ToolFailed(`The tool ${type} is not available any more.`);
}

function endingOfTurn({ reason, usage, hasCalls }: TurnFinish, made: readonly RunCall[]): RunEnding {
  if (hasCalls) {
    const calls = made.filter((call) => isForCaller(call) && call.output === null);
    return calls.length > 0 ? { kind: 'requires_action', usage, calls } : { kind: 'next_turn', usage };
  }
  if (reason === 'length') return { kind: 'incomplete', reason: 'max_completion_tokens', usage };
  if (reason === 'content_filter') {
    const message = "The provider's content filter stopped the answer.";
    return { kind: 'failed', error: { code: 'invalid_prompt', message }, usage };
  }
  return { kind: 'completed', usage };
}
