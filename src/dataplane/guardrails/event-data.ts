import { tokenMembers } from '../../guardrails/segments/index.ts';
import { type EventText, textsOf } from '../../guardrails/stream/index.ts';
import { isObject, parsedObject } from '../../lib/json.ts';

/** The JSON of the data of an event; null for data that are none. */
export type EventData = object | string | null;

/** What is an object, a list or a string of JSON; numbers and the like say nothing. */
export function jsonIn(data: string): EventData {
  const object = parsedObject(data);
  if (object !== null || !/^\s*["[]/.test(data)) return object;
  try {
    return JSON.parse(data) as object | string;
  } catch {
    return null;
  }
}

/** All texts of an event, whether its data are JSON or not. */
export function textsIn(data: string, payload = jsonIn(data)): EventText[] {
  if (typeof payload === 'string') return payload === '' ? [] : [plainText(payload)];
  if (payload !== null) return textsOf(payload);
  return data === '' ? [] : [plainText(data)];
}

const plainText = (text: string): EventText => ({
  path: [],
  key: 'data',
  choice: 0,
  kind: 'text',
  role: null,
  text,
  isPiece: true,
});

/** The tokens of a text that was changed would tell what stood there. */
export function withoutTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTokens);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      tokenMembers.has(name) ? [name, Array.isArray(member) ? [] : null] : [name, withoutTokens(member)],
    ),
  );
}
