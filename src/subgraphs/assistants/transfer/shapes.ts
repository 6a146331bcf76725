import { messageShape, stepShape } from '../../../runs/events/shapes.ts';
import type { MessageItem, RunCall } from '../../../runs/items.ts';
import type { RunDocument, StepRecord } from '../../../runs/run.ts';
import { callsItemId } from '../../../runs/turn/steps.ts';
import type { AssistantDocument } from '../assistant/index.ts';

/** An assistant as a line of an export: the same that a read over REST answers. */
export const assistantLine = (assistant: AssistantDocument) => ({
  id: assistant._id,
  object: 'assistant',
  created_at: Math.floor(assistant.createdAt.getTime() / 1000),
  name: assistant.name,
  description: assistant.description,
  model: assistant.model,
  instructions: assistant.instructions,
  tools: assistant.tools,
  tool_resources: assistant.toolResources,
  metadata: assistant.metadata,
  temperature: assistant.temperature,
  top_p: assistant.topP,
  response_format: assistant.responseFormat,
  reasoning_effort: assistant.reasoningEffort,
});

/** Seconds do not tell apart what was said within one: an import keeps the order by milliseconds. */
export const messageLine = (message: MessageItem) => ({
  ...messageShape(message),
  attachments: message.attachments ?? [],
  created_at_ms: message.createdAt.getTime(),
});

export const stepLine = (run: RunDocument, step: StepRecord, calls: readonly RunCall[]) => ({
  ...stepShape({ ...run, showsContents: true }, step, calls),
  created_at_ms: step.createdAt.getTime(),
});

/** The item in which the calls of a step lie; null for a step that has none. */
export const callsItemOf = (run: RunDocument, { type, turn }: StepRecord): string | null =>
  type === 'tool_calls' ? callsItemId(run._id, turn) : null;
