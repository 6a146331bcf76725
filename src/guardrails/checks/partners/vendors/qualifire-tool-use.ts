import { z } from 'zod';
import { isObject, type JsonObject } from '../../../../lib/json.ts';
import type { CheckedCall } from '../../../check.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey } from '../shapes.ts';
import { evaluationOf, verdictOf } from './qualifire.ts';

export const qualifireToolUse = definePartner({
  id: 'qualifire.toolUseQuality',
  description: 'Passes when Qualifire finds that the answer calls the right tools with the right arguments.',
  phases: ['output'],
  shape: {
    apiKey,
    mode: z
      .enum(['quality', 'balanced', 'speed'])
      .default('balanced')
      .describe('What counts more, the quality of the verdict or its speed.'),
  },
  usualTimeout: 60_000,
  request({ text, input: { call, segments }, parameters: { apiKey: key, mode } }) {
    const calls = callsIn(call.response?.body);
    // Of an answer that is no whole body, names of tools are not known.
    if (call.response?.body === null && segments.some(({ kind }) => kind === 'tool_arguments'))
      throw new Error('The names of the tools that are called are not known within a stream.');
    if (calls.length === 0) return null;
    return evaluationOf(key, {
      messages: [
        { role: 'user', content: call.requestText() },
        { role: 'assistant', content: text, tool_calls: calls },
      ],
      available_tools: toolsOf(call),
      tool_use_quality_check: true,
      tuq_mode: mode,
    });
  },
  verdict: (answer) => verdictOf(answer, 'toolUseQuality'),
});

type ToolCall = { id: string; name: string; arguments: unknown };

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The calls of tools in an answer: of a chat, of messages, or of responses. */
function callsIn(body: unknown): ToolCall[] {
  if (!isObject(body)) return [];
  const ofChat = objectsIn(body.choices)
    .flatMap(({ message }) => (isObject(message) ? objectsIn(message.tool_calls) : []))
    .flatMap(({ id, function: called }) => (isObject(called) ? [{ ...called, id }] : []));
  const ofMessages = objectsIn(body.content)
    .filter(({ type }) => type === 'tool_use')
    .map(({ input, ...block }) => ({ ...block, arguments: input }));
  const ofResponses = objectsIn(body.output).filter(({ type }) => type === 'function_call');
  return [...ofChat, ...ofMessages, ...ofResponses].map(({ id, name, arguments: given }: JsonObject) => ({
    id: String(id ?? ''),
    name: String(name ?? ''),
    arguments: typeof given === 'string' ? parsed(given) : (given ?? {}),
  }));
}

/** Models write arguments as JSON; what is none goes as it is, for that is a fault of the call. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The tools of the request, whatever its format. */
const toolsOf = ({ request }: CheckedCall): JsonObject[] =>
  objectsIn(request?.tools).map((tool) => {
    const { name, description, parameters, input_schema } = isObject(tool.function) ? tool.function : tool;
    return { name, description: description ?? '', parameters: parameters ?? input_schema ?? {} };
  });
