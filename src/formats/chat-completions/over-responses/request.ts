import { isObject, type JsonObject } from '../../../lib/json.ts';
import { picked, refused } from '../../over-chat/fields.ts';

/** A chat request that the gateway made as a response request; nothing is to be kept at the provider. */
export function responseRequest(chat: JsonObject): JsonObject {
  if (chat.stop !== undefined)
    throw refused(
      'stop_sequences',
      'The Responses API has no stop sequences: leave them out, or the beta flag.',
    );
  return {
    ...picked(chat, ['model', 'stream', 'top_p', 'temperature', 'user', 'parallel_tool_calls']),
    store: false,
    input: (chat.messages as JsonObject[]).flatMap(itemsOf),
    ...(chat.max_completion_tokens !== undefined && { max_output_tokens: chat.max_completion_tokens }),
    ...(chat.reasoning_effort !== undefined && { reasoning: { effort: chat.reasoning_effort } }),
    ...(isObject(chat.response_format) && { text: { format: formatOf(chat.response_format) } }),
    ...(Array.isArray(chat.tools) && { tools: chat.tools.map(toolOf) }),
    ...(chat.tool_choice !== undefined && { tool_choice: choiceOf(chat.tool_choice) }),
  };
}

function itemsOf({ role, content, tool_calls: calls, tool_call_id: id }: JsonObject): JsonObject[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: id, output: partsOf(content, role) }];
  const said = content === null ? [] : [{ role, content: partsOf(content, role) }];
  return Array.isArray(calls) ? [...said, ...calls.map(callOf)] : said;
}

type ToolCall = { id: string; function: JsonObject };

const callOf = ({ id, function: { name, arguments: text } }: ToolCall): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: text,
});

const partsOf = (content: unknown, role: unknown): unknown =>
  Array.isArray(content) ? content.map((part: JsonObject) => partOf(part, role)) : content;

function partOf(part: JsonObject, role: unknown): JsonObject {
  if (isObject(part.image_url)) return { type: 'input_image', detail: 'auto', image_url: part.image_url.url };
  if (isObject(part.file)) return { type: 'input_file', ...part.file };
  return { type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text };
}

const formatOf = ({ type, json_schema: schema }: JsonObject): JsonObject => ({
  type,
  ...(schema as JsonObject),
});

/** Where nothing is said chat is not strict, and responses are. */
const toolOf = (tool: { function: JsonObject }): JsonObject => ({
  type: 'function',
  strict: false,
  ...tool.function,
});

const choiceOf = (choice: unknown): unknown =>
  isObject(choice) && isObject(choice.function) ? { type: 'function', name: choice.function.name } : choice;
