import type { JsonObject } from '../../lib/json.ts';
import { isUnavailable } from '../../storage/unavailable.ts';
import { type RunDeps, RunSuperseded, ToolFailed } from '../deps.ts';
import { endTurn, type RunEnding, RunGone } from '../end-run.ts';
import type { KeptItem, TokenCounts } from '../items.ts';
import type { LiveRun } from '../live.ts';
import { removeLeft } from '../remove-left.ts';
import { isResponse, type ResponseRun } from '../run.ts';
import { serverError } from '../turn/last-error.ts';
import { BrokenAnswer } from '../turn/read-chat.ts';
import { storeOpening } from '../turn/store-opening.ts';
import { type LastItems, writeItem } from '../write-item.ts';
import { type AskedResponse, askForResponse, ResponseRefused } from './ask.ts';
import { keptItems } from './kept-items.ts';
import { readResponse, type WholeAnswer } from './read-response.ts';
import { itemIdOf, itemShape, keptItem, type ResponseItem, withShownRequest } from './record.ts';
import { outcomeOf } from './shape.ts';
import { ResponseTeller } from './teller.ts';

/** A response says all in one turn: there are no steps to end with it. */
const speakerOf = (last: LastItems | null) => ({
  steps: [],
  breakOff: async (): Promise<void> => undefined,
  takeLast: () => last,
});

const interrupted = {
  message: 'The stream of this response was interrupted; read the response to see what became of it.',
  type: 'server_error',
  param: null,
  code: 'stream_interrupted',
};

/** Has the model answer and writes what it said. Rejects where the end could not be written. */
export async function executeResponse(deps: RunDeps, live: LiveRun): Promise<void> {
  const { run, teller } = live;
  try {
    if (run.attempt > 1) await storeOpening(deps, run);
    const { ending, last } = await answerOf(deps, live).catch((error: unknown) => ({
      ending: endingOfError(deps, live, error),
      last: null,
    }));
    await endTurn(deps, live, speakerOf(last), ending);
  } catch (error) {
    if (!(error instanceof RunSuperseded || error instanceof RunGone)) {
      deps.log.error(
        { error, runId: run._id },
        'A response could not be brought to its end; it is taken up again.',
      );
      teller.break(interrupted);
      throw error;
    }
    teller.break(interrupted);
    // What a conversation has of it stays there.
    if (error instanceof RunGone) await removeLeft(deps, run, { threadId: run._id });
  }
}

async function answerOf(
  deps: RunDeps,
  live: LiveRun,
): Promise<{ ending: RunEnding; last: LastItems | null }> {
  const { run, teller } = live;
  if (!isResponse(run) || !(teller instanceof ResponseTeller)) throw new Error('The run is no response.');
  const { body, shownIds } = await askForResponse(deps, live);
  teller.run('in_progress', run);
  const answer = await readResponse(body, { runId: run._id, shownIds }, (type, fields) =>
    teller.tell(type, fields),
  );
  const items = outputItems(deps, run, { output: answer.output, shownIds });
  const last = await keepOutput(deps, run, items);
  teller.output = items.map(itemShape);
  const outcome = JSON.stringify(outcomeOf(answer));
  const also = { response: { ...run.response, outcome } };
  const usage = usageOf(answer);
  const ending: RunEnding =
    answer.status === 'completed'
      ? { kind: 'completed', usage, also }
      : { kind: 'incomplete', reason: 'max_completion_tokens', usage, also };
  return { ending, last };
}

/** What was said, as it is stored. */
function outputItems(
  { now }: RunDeps,
  run: ResponseRun,
  { output, shownIds }: { output: unknown } & Pick<AskedResponse, 'shownIds'>,
): KeptItem[] {
  const { _id: runId, organisationId, workspaceId, fence, response } = run;
  const threadId = response.conversationId ?? runId;
  const createdAt = new Date(Math.max(now().getTime(), run.createdAt.getTime() + 1));
  const said = (Array.isArray(output) ? output : []) as ResponseItem[];
  return said.map((each, place) =>
    keptItem(
      {
        _id: itemIdOf(runId, 'output', place),
        item: withShownRequest(each, shownIds),
        isInput: false,
      },
      { organisationId, workspaceId, threadId, runId, fence, createdAt },
    ),
  );
}

/**
 * Stores what was said, then has the conversation begin with what was asked: one that failed leaves nothing in it. Where nothing
 * else is to be done, what was said is left to be written with the end of the response.
 */
async function keepOutput(
  deps: RunDeps,
  run: ResponseRun,
  items: readonly KeptItem[],
): Promise<LastItems | null> {
  const { _id: runId, organisationId, workspaceId, fence, attempt, response } = run;
  const { conversationId: threadId } = response;
  if (attempt === 1 && threadId === null) return { items, tell: () => undefined };
  for (const item of items) await writeItem(deps, run, item);
  const own = { runId, organisationId, workspaceId };
  if (attempt > 1) await keptItems(deps).deleteMany({ ...own, isInput: false, fence: { $lt: fence } });
  if (threadId !== null) await keptItems(deps).updateMany({ ...own, isInput: true }, { $set: { threadId } });
  return null;
}

function usageOf({ usage }: WholeAnswer): TokenCounts {
  const { input_tokens: prompt, output_tokens: completion } = (usage ?? {}) as JsonObject;
  return { promptTokens: Number(prompt ?? 0), completionTokens: Number(completion ?? 0) };
}

function endingOfError({ log }: RunDeps, live: LiveRun, error: unknown): RunEnding {
  if (error instanceof RunSuperseded) throw error;
  const { interruption: why } = live;
  if (why) return { kind: why };
  // The response is taken up again once the store answers.
  if (isUnavailable(error)) throw error;
  if (error instanceof ResponseRefused) return { kind: 'failed', error: error.error };
  if (error instanceof BrokenAnswer || error instanceof ToolFailed)
    return { kind: 'failed', error: serverError(error.message) };
  log.error({ error, runId: live.run._id }, 'A response failed by a defect.');
  return { kind: 'failed', error: serverError('The response failed inside the gateway.') };
}
