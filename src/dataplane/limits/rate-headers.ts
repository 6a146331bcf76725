import type { Counter, CounterState, LimitEngine } from '../../limits/engine.ts';
import type { LimitUnit } from '../../limits/limit.ts';

/** The names of the three headers that tell of a limit. */
type HeaderNames = { limit: string; remaining: string; reset: string };
/** By unit; null for cost, which callers have no such headers for. */
type RateHeaders = Readonly<Record<LimitUnit, HeaderNames | null>>;

/** On refusals, as official clients know them. */
export const refusalHeaders: RateHeaders = {
  requests: {
    limit: 'x-ratelimit-limit-requests',
    remaining: 'x-ratelimit-remaining-requests',
    reset: 'x-ratelimit-reset-requests',
  },
  tokens: {
    limit: 'x-ratelimit-limit-tokens',
    remaining: 'x-ratelimit-remaining-tokens',
    reset: 'x-ratelimit-reset-tokens',
  },
  cost: null,
};

/** On answers, so that a provider's own headers stay as they are. */
const ownHeaders: RateHeaders = {
  requests: {
    limit: 'x-gateway-ratelimit-limit-requests',
    remaining: 'x-gateway-ratelimit-remaining-requests',
    reset: 'x-gateway-ratelimit-reset-requests',
  },
  tokens: {
    limit: 'x-gateway-ratelimit-limit-tokens',
    remaining: 'x-gateway-ratelimit-remaining-tokens',
    reset: 'x-gateway-ratelimit-reset-tokens',
  },
  cost: null,
};

/** What a limit allows, what is left of it, and in how many seconds all of it is there again. */
export function rateHeader(
  all: RateHeaders,
  counter: Counter,
  state: CounterState,
  now: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  addRateHeader(headers, all, { counter, state }, now);
  return headers;
}

function addRateHeader(
  headers: Record<string, string>,
  all: RateHeaders,
  { counter: { limit }, state: { remaining, resetsAt } }: { counter: Counter; state: CounterState },
  now: number,
): void {
  const names = all[limit.unit];
  if (names === null) return;
  headers[names.limit] = String(limit.amount);
  headers[names.remaining] = String(Math.max(0, Math.floor(remaining)));
  if (resetsAt !== null) headers[names.reset] = String(Math.max(0, Math.ceil((resetsAt - now) / 1000)));
}

type Tightest = { counter: Counter; state: CounterState } | null;

/** Of each unit the limit of which the least is left. */
export function answerHeaders(
  counters: readonly Counter[],
  engine: LimitEngine,
  now: number,
): Record<string, string> {
  let requests: Tightest = null;
  let tokens: Tightest = null;
  for (const counter of counters) {
    const { unit, enforcement } = counter.limit;
    if (unit === 'cost' || enforcement === 'observe') continue;
    const state = engine.stateOf(counter);
    if (unit === 'requests') requests = tighter(requests, counter, state);
    else tokens = tighter(tokens, counter, state);
  }
  const headers: Record<string, string> = {};
  for (const tightest of [requests, tokens]) if (tightest) addRateHeader(headers, ownHeaders, tightest, now);
  return headers;
}

const tighter = (known: Tightest, counter: Counter, state: CounterState): Tightest =>
  known && known.state.remaining <= state.remaining ? known : { counter, state };
