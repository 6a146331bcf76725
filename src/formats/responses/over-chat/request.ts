import type { JsonObject } from '../../../lib/json.ts';
import {
  fieldsAt,
  isGiven,
  listAt,
  picked,
  quoted,
  refused,
  requireShallow,
  streaming,
  textAt,
} from '../../over-chat/fields.ts';
import { echoed } from './answer.ts';
import { messagesOf } from './input.ts';

/** What a response refers to that only the provider that kept it could know. */
const kept = ['previous_response_id', 'conversation', 'prompt'];

/** A response request as a chat completion request. What is not named here is dropped. */
export function responsesRequest(body: JsonObject): JsonObject {
  for (const name of kept) {
    if (isGiven(body[name]))
      throw refused(name, `This provider keeps nothing that ${name} could refer to: send the whole input.`);
  }
  if (body.background === true)
    throw refused('background', 'This provider answers while the caller waits: leave background out.');
  for (const name of echoed) requireShallow(body[name], name);
  return {
    ...picked(body, ['model', 'temperature', 'top_p', 'user']),
    messages: messagesOf(body),
    ...(isGiven(body.max_output_tokens) && { max_tokens: body.max_output_tokens }),
    ...streaming(body),
    ...toolsOf(body),
    ...effortOf(body.reasoning),
    ...formatOf(body.text),
  };
}

function toolsOf({ tools, tool_choice: choice, parallel_tool_calls: parallel }: JsonObject): JsonObject {
  if (!isGiven(tools)) return {};
  const list = listAt(tools, 'tools').map((tool, index) => toolOf(fieldsAt(tool, `tools[${index}]`), index));
  if (list.length === 0) return {};
  return {
    tools: list,
    ...(isGiven(choice) && { tool_choice: choiceOf(choice) }),
    ...(isGiven(parallel) && { parallel_tool_calls: parallel }),
  };
}

function toolOf(tool: JsonObject, index: number): JsonObject {
  const param = `tools[${index}]`;
  if (tool.type !== 'function') {
    throw refused(
      `${param}.type`,
      `The tool ${quoted(tool.type)} is built into other providers: this one takes function tools only.`,
    );
  }
  return {
    type: 'function',
    function: {
      name: textAt(tool.name, `${param}.name`),
      ...picked(tool, ['description', 'parameters', 'strict']),
    },
  };
}

function choiceOf(choice: unknown): unknown {
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice;
  const { type, name } = fieldsAt(choice, 'tool_choice');
  if (type !== 'function')
    throw refused('tool_choice', 'This provider takes none, auto, required or a function as tool_choice.');
  return { type: 'function', function: { name: textAt(name, 'tool_choice.name') } };
}

function effortOf(reasoning: unknown): JsonObject {
  if (!isGiven(reasoning)) return {};
  const { effort } = fieldsAt(reasoning, 'reasoning');
  return isGiven(effort) ? { reasoning_effort: effort } : {};
}

function formatOf(text: unknown): JsonObject {
  if (!isGiven(text)) return {};
  const { format } = fieldsAt(text, 'text');
  if (!isGiven(format)) return {};
  const { type, ...schema } = fieldsAt(format, 'text.format');
  if (type === 'text') return {};
  if (type === 'json_object') return { response_format: { type } };
  if (type !== 'json_schema')
    throw refused('text.format.type', 'text.format.type must be text, json_object or json_schema.');
  const json_schema = picked(schema, ['name', 'description', 'schema', 'strict']);
  return { response_format: { type, json_schema } };
}
