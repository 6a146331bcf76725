import type { ServerSentEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../lib/json.ts';

/** How one endpoint's answer looks as a whole and as a stream, and how to get from one to the other. */
export type WholeFormat = {
  /** The whole answer out of a stream's events; null when the stream is not complete or holds what a whole one cannot. */
  assemble(events: readonly ServerSentEvent[]): JsonObject | null;
  /** A whole answer as the text of an event stream. */
  replay(answer: JsonObject, options: { withUsage: boolean }): string;
};

export const objectsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The JSON payloads of events; null when one of them is not a JSON object. */
export function payloadsOf(events: readonly ServerSentEvent[]): JsonObject[] | null {
  const payloads: JsonObject[] = [];
  for (const { data } of events) {
    const payload = parsedObject(data);
    if (!payload) return null;
    payloads.push(payload);
  }
  return payloads;
}
