import { isObject, type JsonObject } from '../../../lib/json.ts';

/** A response as a chat completion; something else as it is. */
export function chatAnswer(response: JsonObject): JsonObject {
  if (response.status === 'failed' || !Array.isArray(response.output)) return response;
  const message = { text: '', refusal: '', thinking: '', calls: [] as JsonObject[] };
  for (const item of response.output) if (isObject(item)) addItem(message, item);
  const { text: content, refusal, thinking: reasoning_content, calls: tool_calls } = message;
  return {
    ...headOf(response),
    choices: [
      { message: { content, refusal, reasoning_content, tool_calls }, finish_reason: finishOf(response) },
    ],
    ...spentOf(response),
  };
}

function addItem(
  message: { text: string; refusal: string; thinking: string; calls: JsonObject[] },
  item: JsonObject,
): void {
  if (item.type === 'function_call') message.calls.push(callOf(item));
  else if (item.type === 'reasoning')
    message.thinking += textOf(item.summary, 'text') + textOf(item.content, 'text');
  else if (item.type === 'message') {
    message.text += textOf(item.content, 'text');
    message.refusal += textOf(item.content, 'refusal');
  }
}

const textOf = (parts: unknown, member: 'text' | 'refusal'): string =>
  (Array.isArray(parts) ? parts : [])
    .map((part) => (isObject(part) && typeof part[member] === 'string' ? part[member] : ''))
    .join('');

export const headOf = ({ id, created_at: created, model }: JsonObject): JsonObject => ({
  id: typeof id === 'string' ? id.replace(/^resp_/, '') : undefined,
  created,
  model,
});

export const callOf = ({ call_id: id, name, arguments: text }: JsonObject): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

export function finishOf({ status, incomplete_details: details }: JsonObject): string {
  if (status !== 'incomplete') return 'stop';
  return isObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';
}

/** What a response says of its usage, and of the terms on which it was answered. */
export const spentOf = ({ usage, service_tier }: JsonObject): JsonObject => ({
  service_tier,
  usage: usageOf(usage),
});

function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    prompt_tokens_details: usage.input_tokens_details,
    completion_tokens_details: usage.output_tokens_details,
  };
}
