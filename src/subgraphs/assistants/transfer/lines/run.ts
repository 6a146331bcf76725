import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { RUN_TIME_MS, type RunDocument } from '../../../../runs/run.ts';
import type { ToolChoice, TruncationStrategy } from '../../../../runs/settings.ts';
import { MOST_TOOLS, metadataOf, parsed, responseFormatOf, toolsOf } from '../../members/index.ts';
import { runModel } from '../../run/index.ts';
import { anyJson, id, moment, runError, seconds, text, usage } from './common.ts';
import { isStored, type Scene } from './scene.ts';

const choice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.object({ type: z.literal('function'), function: z.object({ name: z.string().min(1).max(64) }) }),
  z.object({ type: z.enum(['file_search', 'code_interpreter']) }),
]);
const truncation = z.object({
  type: z.enum(['auto', 'last_messages']),
  last_messages: z.int().min(1).nullish(),
});
const bound = z.int().min(1).nullish();

const schema = z.object({
  id,
  created_at: seconds,
  thread_id: id,
  assistant_id: id,
  // One that goes on has nobody here who goes on with it.
  status: z.enum(['completed', 'failed', 'cancelled', 'expired', 'incomplete']),
  last_error: runError,
  expires_at: moment,
  started_at: moment,
  cancelled_at: moment,
  failed_at: moment,
  completed_at: moment,
  incomplete_details: z.object({ reason: z.enum(['max_completion_tokens', 'max_prompt_tokens']) }).nullish(),
  model: z.string().min(1).max(512),
  instructions: text.nullish(),
  tools: anyJson,
  metadata: anyJson,
  usage,
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_prompt_tokens: bound,
  max_completion_tokens: bound,
  truncation_strategy: truncation.nullish(),
  tool_choice: choice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: anyJson,
  reasoning_effort: z.string().max(64).nullish(),
});

/** A run that has ended elsewhere; its steps come with lines of their own. */
export async function takeRun(scene: Scene, value: JsonObject): Promise<boolean> {
  const { context, owner, clock } = scene;
  const line = parsed(schema, value, '');
  const createdAt = clock.timeOf(value);
  const { type = 'auto', last_messages: newest } = line.truncation_strategy ?? {};
  const run: RunDocument = {
    _id: line.id,
    ...owner,
    threadId: line.thread_id,
    assistantId: line.assistant_id,
    assistantVersion: 1,
    status: line.status,
    ...{ owner: null, fence: 0, attempt: 0, turn: 0, pending: [], steps: [] },
    usage: line.usage,
    lastError: line.last_error,
    incompleteReason: line.incomplete_details?.reason ?? null,
    traceId: line.id,
    ...{ isLogged: false, showsContents: false },
    ...{ dueAt: createdAt, createdAt, startedAt: line.started_at },
    expiresAt: line.expires_at ?? new Date(createdAt.getTime() + RUN_TIME_MS),
    completedAt: line.completed_at,
    cancelledAt: line.cancelled_at,
    failedAt: line.failed_at,
    metadata: metadataOf(line.metadata, 'metadata'),
    model: line.model,
    instructions: line.instructions ?? '',
    tools: toolsOf(line.tools, 'tools', MOST_TOOLS.assistant),
    toolResources: {},
    temperature: line.temperature ?? null,
    topP: line.top_p ?? null,
    maxPromptTokens: line.max_prompt_tokens ?? null,
    maxCompletionTokens: line.max_completion_tokens ?? null,
    truncationStrategy: { type, last_messages: newest ?? null } satisfies TruncationStrategy,
    toolChoice: (line.tool_choice ?? 'auto') as ToolChoice,
    parallelToolCalls: line.parallel_tool_calls ?? true,
    responseFormat: responseFormatOf(line.response_format, 'response_format'),
    reasoningEffort: line.reasoning_effort ?? null,
  };
  await scene.requireThread(line.thread_id);
  const runs = runModel(context.db);
  return isStored(
    () => runs.collection.insertOne(run as never),
    () => runs.exists({ _id: line.id, ...owner }),
    { id: line.id, prefix: 'run_' },
  );
}
