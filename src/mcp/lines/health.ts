import { grownCache } from '../../lib/grown-cache.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { Breaker, BreakerState } from './breaker.ts';

/** How the server behind an integration has answered calls of this process. */
export type UpstreamHealth = {
  state: BreakerState;
  /** Why the last call that failed did, in the gateway's words; null for none. */
  lastError: string | null;
  /** When it answered last; null where it has not. */
  lastOkAt: Date | null;
  /** Milliseconds until an answer: of half of the newest answers at most, and of 95 in 100; null before the first. */
  p50Ms: number | null;
  p95Ms: number | null;
};

/** Answers of a server whose times are kept. */
const KEPT = 100;
const REMEMBERED = 5000;

type Known = { lastError: string | null; lastOkAt: number | null; times: number[]; next: number };

export type HealthBook = {
  /** Notes that a server has answered, after so many milliseconds. */
  answered({ upstream }: McpServerRecord, ms: number): void;
  failed({ upstream }: McpServerRecord, reason: string): void;
  /** Null for an integration that this process has not asked. */
  of(integrationId: string): UpstreamHealth | null;
};

export function createHealthBook(breaker: Pick<Breaker, 'stateOf'>, now: () => Date): HealthBook {
  const book = grownCache<Known>(REMEMBERED);

  function knownOf(id: string): Known {
    let known = book.get(id);
    if (known === undefined) {
      known = { lastError: null, lastOkAt: null, times: [], next: 0 };
      book.set(id, known);
    }
    return known;
  }

  return {
    answered({ upstream: { id } }, ms) {
      const known = knownOf(id);
      known.lastOkAt = now().getTime();
      known.times[known.next] = ms;
      known.next = (known.next + 1) % KEPT;
    },
    failed({ upstream: { id } }, reason) {
      knownOf(id).lastError = reason;
    },
    of(id) {
      const known = book.get(id);
      if (known === undefined) return null;
      const sorted = known.times.toSorted((one, other) => one - other);
      return {
        state: breaker.stateOf(id),
        lastError: known.lastError,
        lastOkAt: known.lastOkAt === null ? null : new Date(known.lastOkAt),
        p50Ms: quantile(sorted, 0.5),
        p95Ms: quantile(sorted, 0.95),
      };
    },
  };
}

function quantile(sorted: readonly number[], part: number): number | null {
  const value = sorted[Math.ceil(sorted.length * part) - 1];
  return value === undefined ? null : Math.round(value * 10) / 10;
}
