import { Histogram, Registry } from 'prom-client';
import type { McpSession } from './session.ts';

/** How long sessions of callers were open. */
export type SessionDurations = {
  /** Counts a session that its caller has ended; `now`: milliseconds since the epoch. */
  ended(session: Pick<McpSession, 'expiresAt' | 'version'>, now: number): void;
  registry: Registry;
};

/** Seconds that a session is good for. */
export const SESSION_SECONDS = 30 * 86_400;

/** From a second to a day; most are as long as somebody works with a client. */
const buckets = [1, 5, 10, 30, 60, 300, 1800, 3600, 14_400, 86_400];

/** Sessions that nobody ends are not among them: no process holds them, so that none sees their time run out. */
export function createSessionDurations(): SessionDurations {
  const registry = new Registry();
  const durations = new Histogram({
    name: 'mcp_server_session_duration_seconds',
    help: 'Time from the opening of a session of a caller to its end, of sessions that callers end themselves.',
    labelNames: ['mcp_protocol_version'],
    buckets,
    registers: [registry],
  });
  return {
    registry,
    ended({ expiresAt, version }, now) {
      const openedAt = expiresAt - SESSION_SECONDS;
      durations.observe({ mcp_protocol_version: version }, Math.max(0, now / 1000 - openedAt));
    },
  };
}
