import {
  type HostedCall,
  isForCaller,
  isFunctionCall,
  type MessageItem,
  type RunCall,
  type TokenCounts,
} from '../items.ts';
import { type RunDocument, type StepRecord, shownExpiry } from '../run.ts';
import type { RunEvent } from './channel.ts';

/** Seconds since 1970; null for no moment. */
const seconds = (moment: Date | null): number | null =>
  moment === null ? null : Math.floor(moment.getTime() / 1000);

export type RunShape = ReturnType<typeof runShape>;

/** What a run or a step took; null while it is not known. */
export const usageShape = (usage: TokenCounts | null) =>
  usage && {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
  };

/** What a caller has to do before the run goes on; null for nothing. */
export const requiredAction = ({ pending }: Pick<RunDocument, 'pending'>) =>
  pending.length === 0
    ? null
    : {
        type: 'submit_tool_outputs',
        submit_tool_outputs: {
          tool_calls: pending.map(({ id, name, arguments: given }) => ({
            id,
            type: 'function',
            function: { name, arguments: given },
          })),
        },
      };

/** A run, as events show it: the same that a read of it answers. */
export const runShape = (run: RunDocument) => ({
  id: run._id,
  object: 'thread.run',
  created_at: seconds(run.createdAt),
  thread_id: run.threadId,
  assistant_id: run.assistantId,
  status: run.status,
  required_action: requiredAction(run),
  last_error: run.lastError,
  expires_at: seconds(shownExpiry(run)),
  started_at: seconds(run.startedAt),
  cancelled_at: seconds(run.cancelledAt),
  failed_at: seconds(run.failedAt),
  completed_at: seconds(run.completedAt),
  incomplete_details: run.incompleteReason && { reason: run.incompleteReason },
  model: run.model,
  instructions: run.instructions,
  tools: run.tools,
  metadata: run.metadata,
  usage: run.active ? null : usageShape(run.usage),
  temperature: run.temperature,
  top_p: run.topP,
  max_prompt_tokens: run.maxPromptTokens,
  max_completion_tokens: run.maxCompletionTokens,
  truncation_strategy: run.truncationStrategy,
  tool_choice: run.toolChoice,
  parallel_tool_calls: run.parallelToolCalls,
  response_format: run.responseFormat,
  reasoning_effort: run.reasoningEffort,
});

/** What of a run may change while it goes on, by the names of events. */
const changing = [
  'status',
  'required_action',
  'last_error',
  'expires_at',
  'started_at',
  'cancelled_at',
  'failed_at',
  'completed_at',
  'incomplete_details',
  'usage',
] as const;

/** An event of a run without what never changes of the run: instructions would be stored again with each. */
export const shortened = ({ event, data }: RunEvent): RunEvent =>
  isOfRun(event)
    ? { event, data: Object.fromEntries(changing.map((name) => [name, (data as RunShape)[name]])) }
    : { event, data };

/** The opposite: `shape` is the run as it is shown now. */
export const restored = ({ event, data }: RunEvent, shape: RunShape): RunEvent =>
  isOfRun(event) ? { event, data: { ...shape, ...(data as object) } } : { event, data };

const isOfRun = (event: string): boolean => /^thread\.run\.[a-z_]+$/.test(event);

/** What a step did: the message that it made, or those of a turn's calls that are its own. */
export const stepDetails = (
  { type, messageId, isHosted }: StepRecord,
  calls: readonly RunCall[],
  withContents: boolean,
) =>
  type === 'message_creation'
    ? { type, message_creation: { message_id: messageId } }
    : {
        type,
        tool_calls: calls
          .filter((call) => isForCaller(call) !== isHosted)
          .map((call) => callShape(call, withContents)),
      };

/** Tools of MCP servers look like functions that have been answered: programs know no other tool with a name. */
export function callShape(call: RunCall, withContents: boolean) {
  const { id, type } = call;
  if (!isFunctionCall(call) && type !== 'mcp') return { id, type, [type]: shownDetails(call, withContents) };
  const { name, arguments: given, output } = call;
  return { id, type: 'function', function: { name, arguments: given, output } };
}

/** What is shown of a hosted call: the texts that a search found only where they are asked for. */
export function shownDetails(
  { type, details }: Pick<HostedCall, 'type' | 'details'>,
  withContents: boolean,
): Record<string, unknown> {
  if (type !== 'file_search' || withContents || !Array.isArray(details.results)) return details;
  return { ...details, results: details.results.map(({ content: _texts, ...result }) => result) };
}

/** When a step took one of its last statuses; null for a step in another one. */
export const endOfStep = ({ status, endedAt }: StepRecord, wanted: StepRecord['status']): Date | null =>
  status === wanted ? endedAt : null;

export const stepShape = (
  { _id, threadId, assistantId, expiresAt, showsContents }: RunDocument,
  step: StepRecord,
  calls: readonly RunCall[] = [],
) => ({
  id: step.id,
  object: 'thread.run.step',
  created_at: seconds(step.createdAt),
  assistant_id: assistantId,
  thread_id: threadId,
  run_id: _id,
  type: step.type,
  status: step.status,
  step_details: stepDetails(step, calls, showsContents),
  last_error: step.lastError,
  expires_at: seconds(expiresAt),
  expired_at: seconds(endOfStep(step, 'expired')),
  cancelled_at: seconds(endOfStep(step, 'cancelled')),
  failed_at: seconds(endOfStep(step, 'failed')),
  completed_at: seconds(endOfStep(step, 'completed')),
  metadata: {},
  usage: step.status === 'in_progress' ? null : usageShape(step.usage),
});

export const messageShape = (message: MessageItem) => ({
  id: message._id,
  object: 'thread.message',
  created_at: seconds(message.createdAt),
  thread_id: message.threadId,
  status: message.status,
  incomplete_details: message.incompleteReason && { reason: message.incompleteReason },
  completed_at: seconds(message.completedAt),
  incomplete_at: seconds(message.incompleteAt),
  role: message.role,
  // The message may grow before the event is sent.
  content: [...message.content],
  assistant_id: message.assistantId,
  run_id: message.runId,
  attachments: [],
  metadata: message.metadata,
});
