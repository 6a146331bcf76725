import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from '../../lib/http/headers.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

const IDLE_MS = 60_000;
const TOTAL_MS = 600_000;

/** Milliseconds of silence and of a whole call; a caller may make both shorter with `x-gateway-request-timeout`. */
export function timeoutsOf(
  { upstream: { configurations } }: Pick<McpServerRecord, 'upstream'>,
  headers: IncomingHttpHeaders | undefined,
): { idleMs: number; totalMs: number } {
  const { idle_ms: idleMs = IDLE_MS, total_ms: totalMs = TOTAL_MS } = configurations.timeouts ?? {};
  const asked = Number(headers && headerOf(headers, 'x-gateway-request-timeout'));
  if (!Number.isInteger(asked) || asked < 1) return { idleMs, totalMs };
  return { idleMs: Math.min(idleMs, asked), totalMs: Math.min(totalMs, asked) };
}
