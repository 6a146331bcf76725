import type { ServerSentEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../lib/json.ts';

/** How the whole answers of one format become streams, and its streams whole answers. */
export type WholeFormat = {
  /** The whole answer that a stream's events tell; null for a stream that is incomplete or holds an error. */
  assemble(events: readonly ServerSentEvent[]): JsonObject | null;
  /** The text of the event stream that tells a whole answer. `withUsage`: also tell the token counts, where the format leaves that to the caller. */
  replay(answer: JsonObject, options: { withUsage: boolean }): string;
};

export const objectsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The JSON objects in the data of events; null when one of the events holds something else. */
export function payloadsOf(events: readonly ServerSentEvent[]): JsonObject[] | null {
  const payloads: JsonObject[] = [];
  for (const { data } of events) {
    const payload = parsedObject(data);
    if (!payload) return null;
    payloads.push(payload);
  }
  return payloads;
}
