import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from '../../lib/http/headers.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

const IDLE_MS = 60_000;
const TOTAL_MS = 600_000;

/**
 * Milliseconds of silence, of a whole call, and until there is a connection; a caller may make the first two shorter with
 * `x-gateway-request-timeout`.
 */
export function timeoutsOf(
  { upstream: { configurations } }: Pick<McpServerRecord, 'upstream'>,
  headers: IncomingHttpHeaders | undefined,
): { idleMs: number; totalMs: number; connectMs: number | undefined } {
  const {
    idle_ms: idleMs = IDLE_MS,
    total_ms: totalMs = TOTAL_MS,
    connect_ms: connectMs,
  } = configurations.timeouts ?? {};
  const asked = Number(headers && headerOf(headers, 'x-gateway-request-timeout'));
  if (!Number.isInteger(asked) || asked < 1) return { idleMs, totalMs, connectMs };
  return { idleMs: Math.min(idleMs, asked), totalMs: Math.min(totalMs, asked), connectMs };
}
