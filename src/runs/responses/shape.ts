import { type JsonObject, parsedObject } from '../../lib/json.ts';
import type { ResponseRun, RunStatus } from '../run.ts';
import type { ResponseItem } from './record.ts';

/** What a run is doing, in the words of responses. */
const statuses: Record<RunStatus, string> = {
  queued: 'queued',
  in_progress: 'in_progress',
  requires_action: 'in_progress',
  cancelling: 'cancelled',
  cancelled: 'cancelled',
  failed: 'failed',
  completed: 'completed',
  incomplete: 'incomplete',
  expired: 'failed',
};

/** What of a request stands in its response again, with what stands there otherwise. */
const echoed: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  prompt: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'auto',
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: null,
  top_p: null,
  truncation: 'disabled',
  user: null,
};

/** What the gateway says itself, whatever a provider says of it. */
const own = new Set([
  ...['id', 'object', 'created_at', 'status', 'background', 'error', 'output', 'store', 'metadata'],
  ...['previous_response_id', 'conversation', 'instructions', 'tools', 'output_text'],
]);

/** What is kept of a provider's answer beside its output. */
export const outcomeOf = (answer: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => !own.has(name)));

const seconds = (moment: Date | null): number | null =>
  moment === null ? null : Math.floor(moment.getTime() / 1000);

/** A response as the API shows it. */
export function responseShape(run: ResponseRun, output: readonly ResponseItem[]): JsonObject {
  const { response, status } = run;
  const request = parsedObject(response.request) ?? {};
  const given = Object.fromEntries(
    Object.entries(echoed).map(([name, otherwise]) => [name, request[name] ?? otherwise]),
  );
  return {
    id: run._id,
    object: 'response',
    created_at: seconds(run.createdAt),
    completed_at: seconds(run.completedAt),
    status: statuses[status],
    background: response.isBackground,
    error: errorOf(run),
    incomplete_details: null,
    usage: null,
    model: run.model,
    ...given,
    ...(response.outcome !== null && parsedObject(response.outcome)),
    previous_response_id: response.previousId,
    conversation: response.conversationId && { id: response.conversationId },
    store: true,
    metadata: run.metadata,
    output,
  };
}

function errorOf({ status, lastError }: ResponseRun): JsonObject | null {
  if (status === 'expired') return { code: 'server_error', message: 'The response took longer than it may.' };
  return status === 'failed' && lastError ? { ...lastError } : null;
}
