import { formatEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { objectsOf, payloadsOf, type WholeFormat } from '../stream/whole-format.ts';
import { DONE, doneEvent } from './stream.ts';

type Choice = { index: number; message: JsonObject; finish_reason: unknown; logprobs?: unknown };

/** OpenAI's chat completions. */
export const chatWholeFormat: WholeFormat = {
  assemble(events) {
    const chunks = chunksOf(events);
    const first = chunks?.[0];
    if (!chunks || !first) return null;
    const choices = new Map<number, Choice>();
    let usage: unknown = null;
    for (const chunk of chunks) {
      if (chunk.error !== undefined) return null;
      usage = chunk.usage ?? usage;
      for (const choice of objectsOf(chunk.choices)) addChoice(choices, choice);
    }
    const list = [...choices.values()].sort((left, right) => left.index - right.index);
    if (list.length === 0 || list.some((choice) => choice.finish_reason === null)) return null;
    for (const { message } of list) tidyToolCalls(message);
    const { choices: _choices, usage: _usage, ...head } = first;
    return { ...head, object: 'chat.completion', choices: list, ...(usage !== null && { usage }) };
  },

  replay(answer, { withUsage }) {
    const { choices, usage, ...rest } = answer;
    const head = { ...rest, object: 'chat.completion.chunk' };
    const chunk = (choice: JsonObject) => formatEvent(null, JSON.stringify({ ...head, choices: [choice] }));
    const texts = objectsOf(choices).flatMap(({ message, finish_reason, index, logprobs = null }) => {
      const { role = 'assistant', tool_calls: toolCalls, ...members } = isObject(message) ? message : {};
      const calls = objectsOf(toolCalls).map((call, at) => ({ index: at, ...call }));
      return [
        chunk({ index, delta: { role, ...members }, logprobs, finish_reason: null }),
        ...(calls.length > 0
          ? [chunk({ index, delta: { tool_calls: calls }, logprobs: null, finish_reason: null })]
          : []),
        chunk({ index, delta: {}, logprobs: null, finish_reason }),
      ];
    });
    if (withUsage && usage) texts.push(formatEvent(null, JSON.stringify({ ...head, choices: [], usage })));
    return texts.join('') + doneEvent;
  },
};

/** The chunks of a stream that ended with `[DONE]`; null for one that did not. */
export function chunksOf(events: Parameters<WholeFormat['assemble']>[0]): JsonObject[] | null {
  if (events.at(-1)?.data !== DONE) return null;
  return payloadsOf(events.slice(0, -1));
}

function addChoice(choices: Map<number, Choice>, piece: JsonObject): void {
  const index = typeof piece.index === 'number' ? piece.index : 0;
  let choice = choices.get(index);
  if (!choice) {
    choice = { index, message: { role: 'assistant', content: null }, finish_reason: null };
    choices.set(index, choice);
  }
  if (isObject(piece.delta)) addDelta(choice.message, piece.delta);
  if (isObject(piece.logprobs)) choice.logprobs = merge(choice.logprobs, piece.logprobs);
  choice.finish_reason = piece.finish_reason ?? choice.finish_reason;
}

function addDelta(message: JsonObject, delta: JsonObject): void {
  for (const [name, value] of Object.entries(delta)) {
    if (name === 'role') message.role = value;
    else if (name === 'tool_calls') addToolCalls(message, objectsOf(value));
    else if (value !== null) continueMember(message, name, value);
  }
}

/** Only what the object has itself: the prototype of all objects is no part of an answer. */
function continueMember(holder: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') return;
  holder[name] = merge(Object.hasOwn(holder, name) ? holder[name] : undefined, value);
}

/** Texts and lists are continued where they are, objects member by member; what else there is replaces. */
function merge(known: unknown, piece: unknown): unknown {
  if (typeof known === 'string' && typeof piece === 'string') return known + piece;
  if (Array.isArray(known) && Array.isArray(piece)) {
    for (const item of piece) known.push(item);
    return known;
  }
  if (isObject(known) && isObject(piece)) {
    for (const [name, value] of Object.entries(piece)) continueMember(known, name, value);
    return known;
  }
  return piece ?? known;
}

function addToolCalls(message: JsonObject, pieces: JsonObject[]): void {
  const calls = (message.tool_calls ?? []) as JsonObject[];
  message.tool_calls = calls;
  for (const { index, ...piece } of pieces) {
    const at = typeof index === 'number' && index >= 0 && index <= calls.length ? index : calls.length;
    const known = calls[at];
    if (!known) calls[at] = piece;
    else if (isObject(piece.function)) known.function = merge(known.function, piece.function);
  }
}

/** A message that only calls tools has no content. */
function tidyToolCalls(message: JsonObject): void {
  if (message.content === '' && message.tool_calls) message.content = null;
}
