import { type ErrorName, GatewayError } from '../../errors/index.ts';
import type { Counter, CounterState, Shortage } from '../../limits/engine.ts';
import type { Limit, LimitLevel } from '../../limits/limit.ts';
import { amountText, shownAmount } from './amounts.ts';
import { rateHeader, refusalHeaders } from './rate-headers.ts';

const levels: Readonly<Record<LimitLevel, string>> = {
  organisation: 'organisation',
  workspace: 'workspace',
  integration: 'integration',
  provider: 'provider',
  api_key: 'API key',
  token: 'token',
  policy: 'policy',
};

const codes: Readonly<Record<Shortage['why'], ErrorName>> = {
  spent: 'USAGE_LIMIT_REACHED',
  rate: 'RATE_LIMIT_EXCEEDED',
  held: 'USAGE_LIMIT_RESERVED',
  never: 'REQUEST_EXCEEDS_LIMIT',
  lost: 'LIMITS_UNAVAILABLE',
};

/** Milliseconds after which a call may come again whose limits are held by others, or cannot be read. */
const AGAIN_MS = 1000;

/** Whether a fallback may go on: what a provider or an integration refuses is the answer of that target alone. */
export const isOfTarget = ({ level }: Limit): boolean => level === 'provider' || level === 'integration';

/** `state`: what the counter stands at. `advice`: a sentence on what would fit. `now`: milliseconds since the epoch. */
export function limitRefusal(
  shortage: Shortage,
  state: CounterState,
  now: number,
  advice = '',
): GatewayError {
  const { ask, why, availableAt } = shortage;
  const { limit } = ask.counter;
  // Nothing at all is allowed, ever: coming again, or with less, is of no use.
  const code = why === 'never' && limit.amount === 0 ? disabled(limit) : codes[why];
  const wait = waitOf(shortage, now);
  return new GatewayError(code, {
    message: `${messageOf(shortage, state)}${advice === '' ? '' : ` ${advice}`}`,
    ...(wait !== null && { retryAfter: Math.ceil(wait / 1000) }),
    headers: {
      'x-should-retry': String(why === 'held' || why === 'rate' || why === 'lost'),
      ...(wait !== null && { 'retry-after-ms': String(Math.ceil(wait)) }),
      ...rateHeader(refusalHeaders, ask.counter, state, now),
    },
    beside: {
      limit: limitMember(ask.counter, state, { needed: ask.amount, resetsAt: availableAt ?? state.resetsAt }),
    },
  });
}

const disabled = ({ kind }: Limit): ErrorName =>
  kind === 'rate' ? 'RATE_LIMIT_EXCEEDED' : 'USAGE_LIMIT_REACHED';

/** A limit asks that what its calls come to is known. */
export function notBounded(counter: Counter, state: CounterState): GatewayError {
  const { limit } = counter;
  return new GatewayError('COST_NOT_BOUNDED', {
    message: `${titleOf(limit)} takes no calls whose ${limit.unit === 'cost' ? 'cost' : 'tokens'} cannot be known.`,
    headers: { 'x-should-retry': 'false' },
    beside: { limit: limitMember(counter, state, { needed: null, resetsAt: state.resetsAt }) },
  });
}

/** What a refusal says of the limit: of the caller's own counter and never of another's. */
function limitMember(
  { limit, valueKey }: Counter,
  { used, held }: CounterState,
  { needed, resetsAt }: { needed: number | null; resetsAt: number | null },
) {
  const shown = (amount: number) => shownAmount(limit.unit, amount);
  return {
    id: limit.id,
    level: limit.level,
    name: limit.name,
    type: limit.kind === 'rate' ? 'rate_limit' : 'usage_limit',
    unit: limit.unit,
    value: shown(limit.amount),
    used: shown(used),
    held: shown(held),
    needed: needed === null ? null : shown(needed),
    value_key: valueKey === '' ? null : valueKey,
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
  };
}

/** Milliseconds until the call may come again; null for never. */
function waitOf({ why, availableAt }: Shortage, now: number): number | null {
  if (why === 'never') return null;
  if (why === 'held' || why === 'lost')
    return availableAt === null ? AGAIN_MS : Math.min(AGAIN_MS, Math.max(1, availableAt - now));
  return availableAt === null ? null : Math.max(1, availableAt - now);
}

const titleOf = ({ level, name, kind }: Limit): string =>
  `The ${kind === 'rate' ? 'rate' : 'usage'} limit of the ${levels[level]} ${name}`;

function messageOf({ ask, why }: Shortage, { remaining }: CounterState): string {
  const { limit } = ask.counter;
  const text = (amount: number) => amountText(limit.unit, Math.max(0, amount));
  const title = titleOf(limit);
  if (why === 'lost') return `${title} cannot be read.`;
  if (limit.amount === 0) return `${title} is 0: nothing is allowed.`;
  if (why === 'spent' && remaining > 0)
    return `The call may come to ${text(ask.amount)}, and of ${lower(title)} ${text(remaining)} are left.`;
  const verb = limit.unit !== 'cost' && limit.amount === 1 ? 'is' : 'are';
  if (why === 'spent') return `${title} is reached: ${text(limit.amount)} ${verb} used up.`;
  if (why === 'rate') return `${title} is reached: ${text(limit.amount)} in ${windowText(limit)}.`;
  if (why === 'held')
    return `The call may come to ${text(ask.amount)}, and of ${lower(title)} ${text(remaining)} are left: calls under way hold the rest.`;
  return `The call may come to ${text(ask.amount)}, more than ${lower(title)} allows: ${text(limit.amount)}.`;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const spans: Readonly<Record<number, string>> = {
  1: 'a second',
  60: 'a minute',
  3600: 'an hour',
  86400: 'a day',
  604800: 'a week',
};

function windowText({ window }: Limit): string {
  if (window.kind !== 'bucket' && window.kind !== 'fixed') return 'its period';
  return spans[window.seconds] ?? `${window.seconds} s`;
}
