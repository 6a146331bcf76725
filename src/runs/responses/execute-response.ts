import type { JsonObject } from '../../lib/json.ts';
import { isUnavailable } from '../../storage/unavailable.ts';
import { type RunDeps, RunSuperseded, ToolFailed } from '../deps.ts';
import { endTurn, type RunEnding, RunGone } from '../end-run.ts';
import type { TokenCounts } from '../items.ts';
import type { LiveRun } from '../live.ts';
import { isResponse, type ResponseRun } from '../run.ts';
import { serverError } from '../turn/last-error.ts';
import { BrokenAnswer } from '../turn/read-chat.ts';
import { storeOpening } from '../turn/store-opening.ts';
import { writeItem } from '../write-item.ts';
import { type AskedResponse, askForResponse, ResponseRefused } from './ask.ts';
import { keptItems } from './kept-items.ts';
import { readResponse, type WholeAnswer } from './read-response.ts';
import { itemIdOf, itemShape, keptItem, type ResponseItem, withShownRequest } from './record.ts';
import { outcomeOf } from './shape.ts';
import { ResponseTeller } from './teller.ts';

/** A response says all in one turn: there are no steps to end with it. */
const noSpeaker = { steps: [], breakOff: async (): Promise<void> => undefined };

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
    const ending = await answerOf(deps, live).catch((error: unknown) => endingOfError(deps, live, error));
    await endTurn(deps, live, noSpeaker, ending);
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
  }
}

async function answerOf(deps: RunDeps, live: LiveRun): Promise<RunEnding> {
  const { run, teller } = live;
  if (!isResponse(run) || !(teller instanceof ResponseTeller)) throw new Error('The run is no response.');
  const { body, shownIds } = await askForResponse(deps, live);
  teller.run('in_progress', run);
  const answer = await readResponse(body, { runId: run._id, shownIds }, (type, fields) =>
    teller.tell(type, fields),
  );
  teller.output = await keepOutput(deps, run, { output: answer.output, shownIds });
  const outcome = JSON.stringify(outcomeOf(answer));
  const also = { response: { ...run.response, outcome } };
  const usage = usageOf(answer);
  return answer.status === 'completed'
    ? { kind: 'completed', usage, also }
    : { kind: 'incomplete', reason: 'max_completion_tokens', usage, also };
}

/** Stores what was said, then has the conversation begin with what was asked: one that failed leaves nothing in it. */
async function keepOutput(
  deps: RunDeps,
  run: ResponseRun,
  { output, shownIds }: { output: unknown } & Pick<AskedResponse, 'shownIds'>,
): Promise<readonly ResponseItem[]> {
  const { _id: runId, organisationId, workspaceId, fence, response } = run;
  const threadId = response.conversationId ?? runId;
  const createdAt = new Date(Math.max(deps.now().getTime(), run.createdAt.getTime() + 1));
  const said = (Array.isArray(output) ? output : []) as ResponseItem[];
  const items = said.map((each, place) =>
    keptItem(
      {
        _id: itemIdOf(runId, 'output', place),
        item: withShownRequest(each, shownIds),
        isInput: false,
      },
      { organisationId, workspaceId, threadId, runId, fence, createdAt },
    ),
  );
  for (const item of items) await writeItem(deps, run, item);
  const own = { runId, organisationId, workspaceId };
  if (run.attempt > 1) await keptItems(deps).deleteMany({ ...own, isInput: false, fence: { $lt: fence } });
  if (threadId !== runId) await keptItems(deps).updateMany({ ...own, isInput: true }, { $set: { threadId } });
  return items.map(itemShape);
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
