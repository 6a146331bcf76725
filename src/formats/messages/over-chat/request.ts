import type { JsonObject } from '../../../lib/json.ts';
import {
  fieldsAt,
  isGiven,
  listAt,
  picked,
  quoted,
  refused,
  streaming,
  textAt,
} from '../../over-chat/fields.ts';
import { messagesOf } from './turns.ts';

/** An Anthropic message request as a chat completion request. What is not named here is dropped. */
export function messagesRequest(body: JsonObject): JsonObject {
  return {
    ...picked(body, ['model', 'temperature', 'top_p']),
    messages: messagesOf(body),
    ...(isGiven(body.max_tokens) && { max_completion_tokens: body.max_tokens }),
    ...stopOf(body.stop_sequences),
    ...streaming(body),
    ...toolsOf(body),
    ...userOf(body.metadata),
    ...outputOf(body.output_config),
  };
}

/** Some providers refuse an empty list. */
function stopOf(sequences: unknown): JsonObject {
  if (!isGiven(sequences)) return {};
  const stop = listAt(sequences, 'stop_sequences');
  return stop.length > 0 ? { stop } : {};
}

function toolsOf({ tools, tool_choice: choice }: JsonObject): JsonObject {
  if (!isGiven(tools)) return {};
  const list = listAt(tools, 'tools').map((tool, index) => toolOf(fieldsAt(tool, `tools[${index}]`), index));
  if (list.length === 0) return {};
  return { tools: list, ...(isGiven(choice) && choiceOf(fieldsAt(choice, 'tool_choice'))) };
}

function toolOf(tool: JsonObject, index: number): JsonObject {
  const param = `tools[${index}]`;
  if (isGiven(tool.type) && tool.type !== 'custom') {
    throw refused(
      `${param}.type`,
      `The tool ${quoted(tool.type)} is Anthropic's own: this provider takes custom tools only.`,
    );
  }
  return {
    type: 'function',
    function: {
      name: textAt(tool.name, `${param}.name`),
      ...picked(tool, ['description', 'strict']),
      parameters: fieldsAt(tool.input_schema, `${param}.input_schema`),
    },
  };
}

const choices = new Map([
  ['auto', 'auto'],
  ['any', 'required'],
  ['none', 'none'],
]);

function choiceOf(choice: JsonObject): JsonObject {
  const chosen =
    choice.type === 'tool'
      ? { type: 'function', function: { name: textAt(choice.name, 'tool_choice.name') } }
      : choices.get(textAt(choice.type, 'tool_choice.type'));
  if (!chosen) throw refused('tool_choice.type', 'tool_choice.type is auto, any, tool or none.');
  return {
    tool_choice: chosen,
    ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  };
}

function userOf(metadata: unknown): JsonObject {
  if (!isGiven(metadata)) return {};
  const { user_id: user } = fieldsAt(metadata, 'metadata');
  return isGiven(user) ? { user: textAt(user, 'metadata.user_id') } : {};
}

function outputOf(config: unknown): JsonObject {
  if (!isGiven(config)) return {};
  const { format, effort } = fieldsAt(config, 'output_config');
  return {
    ...(isGiven(effort) && { reasoning_effort: effort }),
    ...(isGiven(format) && { response_format: formatOf(fieldsAt(format, 'output_config.format')) }),
  };
}

function formatOf({ type, schema }: JsonObject): JsonObject {
  if (type !== 'json_schema')
    throw refused('output_config.format.type', 'output_config.format.type must be json_schema.');
  return {
    type: 'json_schema',
    // Chat wants a name, Anthropic's callers give none.
    json_schema: { name: 'output', schema: fieldsAt(schema, 'output_config.format.schema'), strict: true },
  };
}
