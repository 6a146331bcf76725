import { isObject } from '../../lib/json.ts';

export type Payload = Record<string, unknown>;

/** An event's data as a JSON object; null when it is none. */
export function payloadOf(data: string): Payload | null {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : null;
  } catch {
    // Not JSON: passed on for the caller to judge.
    return null;
  }
}
