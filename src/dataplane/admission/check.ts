import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { requireScope } from '../../auth/index.ts';
import type { KeyRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { type CallBound, modelMaximum, mostCost, mostTokens, type Tariff } from '../../limits/bound/index.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call, RequestBody } from '../call/call.ts';
import { openCall, visitOf } from '../call/open-call.ts';
import { allowOf } from '../call/routes.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { countersAt } from '../leg/find-limits.ts';
import { Leg } from '../leg/leg.ts';
import { isTakenOnArrival, one } from '../limits/call-limits.ts';
import { mayCost } from '../limits/count-in.ts';
import type { LegLimits } from '../limits/leg-limits.ts';
import type { Limiting } from '../limits/limiting.ts';
import { isOfTarget, limitRefusal } from '../limits/refusal.ts';
import { refusalOfLeg } from '../limits/refusal-of-leg.ts';
import { modelOf, sizeUp } from '../limits/size-up.ts';
import { outgoingBody } from '../request/body.ts';
import { scopesOf } from '../steps/authorise.ts';
import { limitArrival } from '../steps/limit-arrival.ts';
import { limitCall } from '../steps/limit-call.ts';
import { isNitro } from '../steps/nitro-mode.ts';
import { readMetadata } from '../steps/read-metadata.ts';
import { refuseUnserved } from '../steps/refuse-unserved.ts';
import { requireSaved } from '../steps/require-saved.ts';
import { resolveConfig } from '../steps/resolve-config.ts';
import { useWorkspaceDefault } from '../steps/use-workspace-default.ts';
import { walk } from '../strategy/walk.ts';
import { resolveTarget } from '../target/resolve-target.ts';
import type { AdmissionCheck, AskedAdmission, WeighedCall, WeighedLimit } from './admission.ts';
import { DryEngine, type ReadCounters } from './dry-engine.ts';
import { shortageOf, unknownTo, weighed } from './weigh.ts';

/** The steps of a call before and after its body is read, but for those that need a caller who waits. */
const before = [requireSaved, resolveConfig, limitArrival];
const after = [readMetadata, refuseUnserved, useWorkspaceDefault, limitCall];

/** Checks calls by the steps of the data plane, with an engine that takes nothing in the place of the one that counts. */
export const createAdmissionCheck =
  (given: DataplaneDependencies, read: ReadCounters): AdmissionCheck =>
  async (asked) => {
    const engine = new DryEngine(read);
    const dependencies = { ...given, limiting: { ...given.limiting, engine } };
    try {
      return await weigh(asked, dependencies, engine);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code === 'STORE_UNAVAILABLE') throw error;
      return { ...nowhere, refusal: error };
    }
  };

async function weigh(
  asked: AskedAdmission,
  dependencies: DataplaneDependencies,
  engine: DryEngine,
): Promise<WeighedCall> {
  const call = await callOf(asked, await keyOf(asked, dependencies));
  for (const step of before) await step(call, dependencies);
  call.body = bodyOf(call, asked);
  for (const step of after) await step(call, dependencies);
  const taken = call.limits?.taken ?? [];
  await engine.learn(taken);
  const rates = taken.map((counter) => weighed(one(counter), engine));
  const refused = shortageOf(rates);
  if (refused) return { ...nowhere, refusal: refusalOf(refused, engine), limits: rates };
  const atTarget = await tryTargets(call, dependencies, engine);
  return { ...atTarget, limits: [...rates, ...atTarget.limits] };
}

const nowhere: WeighedCall = {
  refusal: null,
  target: null,
  cap: null,
  capLimitId: null,
  estimate: null,
  limits: [],
};

const refusalOf = (shortage: NonNullable<ReturnType<typeof shortageOf>>, engine: DryEngine): GatewayError =>
  limitRefusal(shortage, engine.stateOf(shortage.ask.counter), Date.now());

async function keyOf({ keyHash }: AskedAdmission, { directory }: DataplaneDependencies): Promise<KeyRecord> {
  const key = await directory.keys.get(keyHash);
  if (key && (key.expiresAt === null || key.expiresAt > Date.now())) return key;
  throw new GatewayError('UNAUTHENTICATED');
}

/** The call as it would be opened. It comes over no connection, and nobody waits for its answer. */
async function callOf({ method, path, headers }: AskedAdmission, key: KeyRecord): Promise<Call> {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  request.headers = headers;
  const [own = '', query = ''] = path.split(/\?(.*)/s);
  const call = await openCall(visitOf(request, new ServerResponse(request), own, query), () => key);
  requireScope(key.principal, scopesOf(call.route, call.method));
  if (!call.route.methods.includes(call.method))
    throw new GatewayError('METHOD_NOT_ALLOWED', { message: `This path takes ${allowOf(call.route)}.` });
  return call;
}

/** What the call would have read of its body. */
function bodyOf(call: Call, { body }: AskedAdmission): RequestBody {
  if (body === null) {
    if (call.route.body === 'json' && call.method === 'POST')
      throw new GatewayError('MALFORMED_BODY', { message: 'The request body must be a JSON object.' });
    return { kind: 'none' };
  }
  const bytes = Buffer.from(JSON.stringify(body));
  if (isNitro(call)) return { kind: 'stream', stream: Readable.from([bytes]), form: null };
  return { kind: 'json', bytes, value: body };
}

/** Walks the plan of the call: where a target's own limit refuses it, a fallback goes on as that of a call would. */
async function tryTargets(
  call: Call,
  dependencies: DataplaneDependencies,
  engine: DryEngine,
): Promise<WeighedCall> {
  let last = nowhere;
  const callTarget = async (leaf: Leaf, accept: (status: number) => boolean) => {
    last = await tryTarget(call, leaf, dependencies, engine);
    const status = last.refusal?.entry.status ?? 200;
    const isEnd = last.refusal !== null && !isTargets(last);
    return { status, relayed: isEnd || accept(status), result: { failure: null } };
  };
  const sticky = { keep: ({ drawn }: { drawn: string }) => drawn };
  await walk(call.plan, { call, callTarget, health: null, sticky, random: dependencies.random });
  return last;
}

/** Whether it is the target alone that refuses. */
const isTargets = ({ limits }: WeighedCall): boolean => {
  const refusing = limits.find(({ verdict }) => verdict !== 'fits');
  return refusing !== undefined && isOfTarget(refusing.counter.limit);
};

async function tryTarget(
  call: Call,
  leaf: Leaf,
  dependencies: DataplaneDependencies,
  engine: DryEngine,
): Promise<WeighedCall> {
  const { limiting } = dependencies;
  const leg = new Leg(call, leaf, () => true);
  leg.target = await resolveTarget(leaf, call, dependencies);
  leg.body = outgoingBody(leg);
  const all = [...(call.limits?.held ?? []), ...countersAt(leg, dependencies)];
  const counters = mayCost(call) ? all : all.filter(isTakenOnArrival);
  await engine.learn(counters);
  const limits: LegLimits = {
    ...{ counters, catalogue: await limiting.prices(), model: null, bound: null, tariff: null },
    ...{ cap: 0, chosenCap: null, asks: [], amounts: [] },
  };
  const { provider, record, model } = leg.target;
  const target = { provider: provider.id, slug: record?.slug ?? null, model };
  try {
    sizeUp(leg, limits, limiting);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'COST_NOT_BOUNDED') throw error;
    return { ...nowhere, target, refusal: error, limits: unknownTo(limits, engine) };
  }
  const found: WeighedLimit[] = limits.asks.map((ask) => weighed(ask, engine));
  const shortage = shortageOf(found);
  const { bound, tariff } = limits;
  const cap = bound?.writes ? capOf(leg, limits, bound, limiting) : null;
  return {
    ...{ target, cap },
    refusal: shortage && refusalOfLeg(shortage, limits, limiting),
    capLimitId: limits.chosenCap?.limitId ?? null,
    estimate: bound && estimateOf(bound, tariff, cap ?? bound.output.cap ?? 0),
    limits: found,
  };
}

/** What each answer may have; where neither the call nor a limit says it, as much as limits would let it have. */
function capOf(leg: Leg, { cap }: LegLimits, { output }: CallBound, { defaultOutputCap }: Limiting): number {
  const most = Math.min(modelMaximum(modelOf(leg)) ?? defaultOutputCap, defaultOutputCap);
  return output.cap ?? (cap === 0 ? most : cap);
}

const estimateOf = (bound: CallBound, tariff: Tariff | null, cap: number): WeighedCall['estimate'] => ({
  tokens: mostTokens(bound, cap),
  nanodollars: tariff && mostCost(bound, tariff, cap),
  class: bound.class,
});
