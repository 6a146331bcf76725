import { isObject, type JsonObject } from '../../../lib/json.ts';
import { errorText } from '../errors.ts';
import { callOf, finishOf, headOf, spentOf } from './answer.ts';

/** An event of a response stream as a chunk of chat; null when chat has nothing like it. */
export function chatChunk(event: JsonObject): JsonObject | null {
  if (typeof event.type !== 'string') return event;
  if (event.type === 'error') return { error: { message: errorText(event) ?? event.message } };
  if (isObject(event.response)) return ofResponse(event.type, event.response);
  const delta = deltaOf(event.type, event);
  return delta && { choices: [{ delta }] };
}

function ofResponse(type: string, response: JsonObject): JsonObject | null {
  switch (type) {
    case 'response.created':
      return { ...headOf(response), choices: [] };
    case 'response.completed':
    case 'response.incomplete':
      return { choices: [{ delta: {}, finish_reason: finishOf(response) }], ...spentOf(response) };
    case 'response.failed':
      return { error: isObject(response.error) ? response.error : {} };
    default:
      return null;
  }
}

function deltaOf(type: string, { delta, item, output_index: index }: JsonObject): JsonObject | null {
  switch (type) {
    case 'response.output_text.delta':
      return { content: delta };
    case 'response.refusal.delta':
      return { refusal: delta };
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return { reasoning_content: delta };
    case 'response.function_call_arguments.delta':
      return { tool_calls: [{ index, function: { arguments: delta } }] };
    case 'response.output_item.added':
      return isObject(item) && item.type === 'function_call'
        ? { tool_calls: [{ index, ...callOf({ ...item, arguments: '' }) }] }
        : null;
    default:
      return null;
  }
}
