import { grownCache } from '../../lib/grown-cache.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

const MAX_FAILURES = 5;
/** Milliseconds within which the failures must come. */
const WINDOW_MS = 30_000;
/** Milliseconds for which a server is left alone; then one request may try, and another one as long after it. */
const REST_MS = 10_000;
const REMEMBERED = 5000;

type State = { failures: number; firstAt: number; openUntil: number };

/** `closed`: it is asked; `open`: it is left alone; `half_open`: its rest is over, and the next request tries it. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** Leaves servers alone that do not answer, so that nobody waits for them. */
export type Breaker = {
  /** Throws an RpcFailure while the server is left alone. */
  enter(server: McpServerRecord): void;
  /** Notes what became of a request that was let through. */
  note(server: McpServerRecord, hasFailed: boolean): void;
  isOpen(server: McpServerRecord): boolean;
  /** By the id of the integration. */
  stateOf(id: string): BreakerState;
};

/** `now`: milliseconds of a clock that never runs backwards. */
export function createBreaker(now: () => number): Breaker {
  const states = grownCache<State>(REMEMBERED);

  function fail(id: string): void {
    const at = now();
    const known = states.get(id);
    const isKnown = known !== undefined && (known.openUntil > 0 || at - known.firstAt <= WINDOW_MS);
    const state = isKnown ? known : { failures: 0, firstAt: at, openUntil: 0 };
    state.failures++;
    if (state.failures >= MAX_FAILURES) state.openUntil = at + REST_MS;
    states.set(id, state);
  }

  return {
    isOpen: ({ upstream }) => (states.get(upstream.id)?.openUntil ?? 0) > 0,
    stateOf(id) {
      const openUntil = states.get(id)?.openUntil ?? 0;
      if (openUntil === 0) return 'closed';
      return openUntil > now() ? 'open' : 'half_open';
    },
    enter({ slug, upstream }) {
      const state = states.get(upstream.id);
      if (state === undefined || state.openUntil === 0) return;
      const left = state.openUntil - now();
      if (left > 0)
        throw new RpcFailure(rpc.unreachable, `The MCP server ${slug} did not answer before.`, {
          data: { server: slug, maybe_executed: false, retry_after_ms: Math.ceil(left) },
        });
      state.openUntil = now() + REST_MS;
    },
    note({ upstream }, hasFailed) {
      if (hasFailed) fail(upstream.id);
      else states.delete(upstream.id);
    },
  };
}
