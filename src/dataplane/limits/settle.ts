import { performance } from 'node:perf_hooks';
import type { CallBound, Tariff } from '../../limits/bound/index.ts';
import { costAt } from '../../limits/bound/index.ts';
import type { LimitAsk } from '../../limits/engine.ts';
import { billedImages } from '../../recording/pricing/billed-images.ts';
import { costIn, isRefusal, makesSomething } from '../../recording/pricing/index.ts';
import { answeredModel, noUsage } from '../../recording/usage/index.ts';
import type { Leg } from '../leg/leg.ts';
import type { UpstreamFailure } from '../send/upstream.ts';
import type { AnsweredUsage } from './answered-usage.ts';
import type { LegLimits } from './leg-limits.ts';
import type { Limiting } from './limiting.ts';
import { kindOf } from './size-up.ts';

/** How an attempt ended. */
export type AttemptEnd = {
  /** 0 without an answer. */
  status: number;
  failure: UpstreamFailure | null;
  /** Bytes of the answer that came. */
  bytes: number;
  /** On the clock of `performance.now()`. */
  sentAt: number;
  answered: AnsweredUsage | null;
};

/** What an attempt came to, in the order of what it asked for. */
export type AttemptAmounts = {
  amounts: number[];
  /** They are a bound, since no usage was reported. */
  uncertain: boolean;
  /** They are nothing, since nobody knows the price or the usage. */
  unpriced: boolean;
};

/** Tokens a second that the fastest models write; the chips of the others' makers write fewer. */
const TOP_SPEED = 500;
const FAST_SPEED = 3500;
const fast: ReadonlySet<string> = new Set(['groq', 'cerebras', 'sambanova']);
/** Seconds for which a provider goes on after nobody listens. */
const RUN_ON_S = 2;

type Used = { tokens: number; cost: number };
/** `isPriced`: false where the cost is 0 because no price is known. */
type Reported = Used & { isPriced: boolean };
const NOTHING: Used = { tokens: 0, cost: 0 };

/**
 * What an attempt is counted as. What the provider reports, if it does. Nothing for a refusal and a failure of the provider.
 * Where an answer broke off without a report, how far it can have come.
 */
export function amountsOf(leg: Leg, limits: LegLimits, end: AttemptEnd, limiting: Limiting): AttemptAmounts {
  const isMade = end.status >= 200 && end.status < 300;
  const reported = usedOf(leg, limits, end, limiting);
  const isPriced = limits.catalogue === null || (reported ? reported.isPriced : limits.tariff !== null);
  const unpriced = isMade && (!isPriced || limits.bound?.class === 'unmetered');
  if (reported)
    return { amounts: limits.asks.map((ask) => counted(ask, end, reported)), uncertain: false, unpriced };
  if (isFree(leg, end) || limits.bound === null)
    return { amounts: limits.asks.map((ask) => counted(ask, end, NOTHING)), uncertain: false, unpriced };
  const reached = progressOf(leg, limits.bound, limits.tariff, end);
  const isKnownTo = ({ counter: { limit } }: LimitAsk) => limit.unit !== 'requests';
  return {
    amounts: limits.asks.map((ask) => {
      if (!isKnownTo(ask)) return 1;
      const { limit } = ask.counter;
      if (limit.onAbort === 'reserve') return ask.amount;
      const progress = limit.unit === 'cost' ? reached.cost : reached.tokens;
      return Math.min(ask.amount, progress);
    }),
    uncertain: limits.asks.some(isKnownTo),
    unpriced,
  };
}

/** A request counts by a budget once it was answered, and by a rate once it was sent. */
function counted({ counter: { limit } }: LimitAsk, { status, failure }: AttemptEnd, used: Used): number {
  if (limit.unit === 'tokens') return used.tokens;
  if (limit.unit === 'cost') return used.cost;
  if (limit.kind === 'rate') return failure === 'connect' ? 0 : 1;
  return status >= 200 && status < 400 ? 1 : 0;
}

/** Endings that are billed to nobody: never sent, refused, failed, or of a kind that makes nothing. */
function isFree({ call }: Leg, { status, failure, answered }: AttemptEnd): boolean {
  if (failure === 'connect') return true;
  if (status === 0) return false;
  if (!makesSomething(call.method, status)) return true;
  if (isRefusal(status) || status >= 500) return true;
  // It came to its end, and says nothing: on paths that are passed on, nobody can know.
  return failure === null && (!call.route.unified || answered?.usage.counts.usageSource === 'provider');
}

/** What the provider reports; null where it reports nothing that can be counted. */
function usedOf(leg: Leg, limits: LegLimits, end: AttemptEnd, limiting: Limiting): Reported | null {
  const { call, target, body } = leg;
  const { status, answered } = end;
  if (!makesSomething(call.method, status)) return null;
  const images =
    status >= 200 && status < 300 && Buffer.isBuffer(body.content)
      ? billedImages(
          { isSuccess: true, requestUrl: `/v1${call.path}` },
          { bytes: body.content, size: body.content.length },
        )
      : null;
  const counts = answered?.usage.counts;
  const isReported = counts !== undefined && counts.tokenClasses !== null;
  if (!isReported && images === null) return null;
  const { promptTokens = null, completionTokens = null, totalTokens = null } = counts ?? {};
  const tokens = Math.max(totalTokens ?? 0, (promptTokens ?? 0) + (completionTokens ?? 0));
  if (completionTokens !== null) limiting.outputs.add(kindOf(leg, limits), completionTokens);
  if (limits.catalogue === null) return { tokens, cost: 0, isPriced: false };
  const cost = costIn(limits.catalogue, {
    provider: target.provider.id,
    model: limits.model,
    answeredModel: () => answered && answeredModel(answered.text),
    at: call.clock.createdAt,
    usage: answered?.usage ?? noUsage,
    images: isReported ? null : images,
    own: target.pricing,
  });
  // Terms whose price nobody knows, such as a tier that the caller asks for, are no way around a budget.
  const atLeast =
    limits.tariff === null ? 0 : costAt(limits.tariff, promptTokens ?? tokens, completionTokens ?? 0);
  return { tokens, cost: cost?.nanodollars ?? atLeast, isPriced: cost !== null };
}

/** How far a model can have come by the end of an attempt. */
function progressOf(
  { target }: Leg,
  bound: CallBound,
  tariff: Tariff | null,
  { bytes, sentAt }: AttemptEnd,
): Used {
  const written = Math.max(bytes, mostWritten(target.provider.id, sentAt) * bound.output.choices);
  return {
    tokens: bound.input.most + written,
    cost: tariff === null ? 0 : costAt(tariff, bound.input.most, written),
  };
}

/** Tokens that a model can have written since a moment on the clock of `performance.now()`, and until it hears that nobody listens. */
export const mostWritten = (provider: string, since: number): number => {
  const seconds = (performance.now() - since) / 1000;
  return Math.ceil((seconds + RUN_ON_S) * (fast.has(provider) ? FAST_SPEED : TOP_SPEED));
};
