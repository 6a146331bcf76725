import { readsOneWay } from '../../lib/json-text/as-read.ts';
import { withMember } from '../../lib/json-text/with-member.ts';
import {
  boundOf,
  type CallBound,
  capForCost,
  capForTokens,
  capMember,
  modelMaximum,
  mostCost,
  mostTokens,
  tariffOf,
} from '../../limits/bound/index.ts';
import type { Counter } from '../../limits/engine.ts';
import { modelInPath, pathBelowApi } from '../../providers/native-api.ts';
import type { Call } from '../call/call.ts';
import { routeOf } from '../call/routes.ts';
import type { Leg } from '../leg/leg.ts';
import { isAbout, type LegLimits } from './leg-limits.ts';
import type { Limiting } from './limiting.ts';
import { notBounded } from './refusal.ts';

/** Tokens below which an answer is of no use: rather than allow fewer, a call is refused. */
const LEAST_CAP = 256;

/**
 * Works out what an attempt can come to, and so what it takes of each limit. Where nobody says how long the answer may be,
 * a hard limit does: the request then carries a cap that what is left can pay.
 */
export function sizeUp(leg: Leg, limits: LegLimits, limiting: Limiting): void {
  const { counters, catalogue } = limits;
  const { call, target } = leg;
  const { content } = leg.body;
  const endpoint = knownEndpoint(call);
  const isHeld = Buffer.isBuffer(content);
  const bound = boundOf({ endpoint, value: leg.body.value, bytes: isHeld ? content.length : null });
  limits.bound = bound;
  limits.model = modelOf(leg);
  limits.tariff =
    catalogue &&
    tariffOf(
      { provider: target.provider.id, model: limits.model, own: target.pricing },
      catalogue,
      call.clock.createdAt,
    );
  refuseUnknown(limits, bound, limiting);
  limits.cap = bound.output.cap ?? 0;
  const isCounted = isAbout(counters, 'cost') || isAbout(counters, 'tokens');
  if (bound.writes && isCounted) capOutput(leg, limits, bound, endpoint, limiting);
  limits.asks = counters.map((counter) => ({ counter, amount: amountOf(counter, leg, limits, limiting) }));
}

/** The endpoint that a path stands for which is passed on. */
function knownEndpoint({ route }: Call): string {
  return route.endpoint === 'proxy' ? routeOf(pathBelowApi(route.upstreamPath)).endpoint : route.endpoint;
}

/** The model that is priced: as the log finds it. */
export const modelOf = ({ call, target }: Pick<Leg, 'call' | 'target'>): string | null =>
  modelInPath(`/v1${call.path}`) ?? target.model;

function refuseUnknown({ counters, tariff }: LegLimits, bound: CallBound, { engine }: Limiting): void {
  for (const counter of counters) {
    const { unpriced, unit, enforcement } = counter.limit;
    if (unpriced !== 'refuse' || unit === 'requests' || enforcement === 'observe') continue;
    if (bound.class === 'unmetered' || (unit === 'cost' && tariff === null))
      throw notBounded(counter, engine.stateOf(counter));
  }
}

function capOutput(
  leg: Leg,
  limits: LegLimits,
  bound: CallBound,
  endpoint: string,
  { engine, defaultOutputCap }: Limiting,
): void {
  if (bound.output.cap !== null) return;
  let cap = Math.min(modelMaximum(limits.model) ?? defaultOutputCap, defaultOutputCap);
  let limitId: string | null = null;
  const hard = limits.counters.filter(({ limit }) => limit.enforcement === 'hard');
  for (const counter of hard) {
    const { remaining } = engine.stateOf(counter);
    const fits = fitting(counter, limits, bound, remaining);
    if (fits === null || fits >= cap) continue;
    cap = Math.max(fits, LEAST_CAP);
    limitId = counter.limit.id;
  }
  limits.cap = cap;
  if (!isAbout(hard, 'tokens') && !(isAbout(hard, 'cost') && limits.tariff !== null)) return;
  if (setCap(leg, endpoint, cap)) limits.chosenCap = { limitId };
}

/** The cap under which a call takes no more than `remaining`; null where a limit has no say in it. */
export function fitting(
  { limit: { unit } }: Counter,
  { tariff }: Pick<LegLimits, 'tariff'>,
  bound: CallBound,
  remaining: number,
): number | null {
  if (unit === 'tokens') return capForTokens(bound, remaining);
  if (unit === 'requests' || tariff === null) return null;
  const cap = capForCost(bound, tariff, remaining);
  return Number.isFinite(cap) ? cap : null;
}

/** Writes the cap into the body. On paths that are passed on, the body is between the caller and the provider. */
function setCap(leg: Leg, endpoint: string, cap: number): boolean {
  const { call, target, body } = leg;
  const member = capMember(endpoint, target.provider.id);
  if (member === null || !call.route.unified || body.value === null || !Buffer.isBuffer(body.content))
    return false;
  const value = { ...body.value, [member]: cap };
  // Of a member that comes twice the provider may read the other one.
  const content = readsOneWay(body.content, body.value)
    ? withMember(body.content, body.value, member, String(cap))
    : Buffer.from(JSON.stringify(value));
  leg.body = { ...body, content, value, changed: true };
  return true;
}

function amountOf({ limit }: Counter, leg: Leg, limits: LegLimits, { outputs }: Limiting): number {
  const { bound, tariff, cap } = limits;
  const { unit, enforcement } = limit;
  if (unit === 'requests') return 1;
  if (bound === null || bound.class === 'unmetered' || (unit === 'cost' && tariff === null)) return 0;
  if (enforcement === 'hard')
    return unit === 'tokens' ? mostTokens(bound, cap) : tariff === null ? 0 : mostCost(bound, tariff, cap);
  const written = bound.output.choices * Math.min(cap, outputs.likely(kindOf(leg, limits)));
  if (unit === 'tokens') return bound.input.likely + written;
  return tariff === null
    ? 0
    : Math.ceil(bound.input.likely * tariff.usual.input + written * tariff.usual.output);
}

/** Calls of which the answers are about as long. */
export const kindOf = ({ call }: Pick<Leg, 'call'>, { model }: Pick<LegLimits, 'model'>): string =>
  `${call.key.principal.id}/${model}`;
