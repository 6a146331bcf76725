import type { Call } from '../call/call.ts';
import type { LegLimits } from './leg-limits.ts';
import type { Limiting } from './limiting.ts';
import { answerHeaders } from './rate-headers.ts';

const NONE: Record<string, string> = {};

/** What an answer says of the limits that it came under, and of the cap that the gateway set. */
export function limitHeaders(
  { call, limits }: { call: Call; limits: LegLimits | null },
  { engine }: Limiting,
): Record<string, string> {
  if (limits === null && call.limits === null) return NONE;
  const counters = [...(call.limits?.taken ?? []), ...(limits?.counters ?? call.limits?.held ?? [])];
  const headers = answerHeaders(counters, engine, Date.now());
  if (limits?.chosenCap) {
    const { limitId } = limits.chosenCap;
    headers['x-gateway-output-cap'] = `${limits.cap}${limitId === null ? '' : `; limit=${limitId}`}`;
  }
  return headers;
}
