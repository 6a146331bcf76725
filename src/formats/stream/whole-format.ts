import type { ServerSentEvent } from '../../lib/event-stream/index.ts';
import { isObject } from '../../lib/json.ts';

export type Json = Record<string, unknown>;

/** How one endpoint's answer looks as a whole and as a stream, and how to get from one to the other. */
export type WholeFormat = {
  /** The whole answer out of a stream's events; null when the stream is not complete or holds what a whole one cannot. */
  assemble(events: readonly ServerSentEvent[]): Json | null;
  /** A whole answer as the text of an event stream. */
  replay(answer: Json, options: { withUsage: boolean }): string;
};

export const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The JSON payloads of events; null when one of them is not a JSON object. */
export function payloadsOf(events: readonly ServerSentEvent[]): Json[] | null {
  const payloads: Json[] = [];
  for (const { data } of events) {
    const payload = parsed(data);
    if (!payload) return null;
    payloads.push(payload);
  }
  return payloads;
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    // What cannot be read is not kept; the caller has it as it came.
    return null;
  }
}
