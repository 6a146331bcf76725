import { GatewayError } from '../../errors/index.ts';
import { runPhase } from '../../guardrails/engine/index.ts';
import { NO_TEXTS, type ReadTexts, readJson } from '../../guardrails/segments/index.ts';
import { isObject } from '../../lib/json.ts';
import type { Settled } from '../answer/settled.ts';
import type { Call, RequestBody } from '../call/call.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { boundaryOf, parseForm } from '../forms/form.ts';
import { type ByteBody, bodyOf, JsonBytes, unreadableBody } from '../guardrails/bodies/byte-body.ts';
import { FormBody } from '../guardrails/bodies/form-body.ts';
import { QueriedBody } from '../guardrails/bodies/queried-body.ts';
import { checkedCall } from '../guardrails/checked-call.ts';
import { denialAnswer } from '../guardrails/denial.ts';
import { guardrailsOf } from '../guardrails/find-guardrails.ts';
import type { LegGuardrails } from '../guardrails/leg-guardrails.ts';
import { withParameters } from '../request/with-parameters.ts';
import type { Leg } from './leg.ts';
import type { LegStep, RunLeg } from './leg-step.ts';

/**
 * Runs the guardrails of the input before anything is made for the provider. A refusal takes the place of the provider's
 * answer, for retries and strategies to judge; what guardrails changed goes to the provider in the place of the caller's body.
 */
export const guardInput: LegStep = (leg, dependencies, next) => {
  leg.guards = null;
  leg.denied = null;
  const found = guardrailsOf(leg, dependencies.directory);
  if (found === null) return next(leg, dependencies);
  return found instanceof Promise
    ? found.then((guards) =>
        guards === null ? next(leg, dependencies) : guarded(leg, guards, dependencies, next),
      )
    : guarded(leg, found, dependencies, next);
};

async function guarded(
  leg: Leg,
  guards: LegGuardrails,
  dependencies: DataplaneDependencies,
  next: RunLeg,
): Promise<Settled> {
  requireRead(leg.call);
  leg.guards = guards;
  if (guards.input.length > 0) await check(leg, guards, dependencies);
  return next(leg, dependencies);
}

function requireRead({ headers }: Call): void {
  if (headers['x-gateway-nitro-mode'] !== 'true') return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: 'x-gateway-nitro-mode reads no bodies, and guardrails apply to this call.',
    param: 'x-gateway-nitro-mode',
  });
}

async function check(leg: Leg, guards: LegGuardrails, { checkHouse }: DataplaneDependencies): Promise<void> {
  const { call, target } = leg;
  const given = withParameters(call.body, leg.leaf);
  const body = inputOf(call, given);
  const outcome = await runPhase({
    phase: 'input',
    guardrails: guards.input,
    body,
    callOf: () => checkedCall(leg, body, null),
    placeholders: guards.placeholders,
    house: checkHouse,
    caller: call.disconnect,
  });
  guards.before = outcome.results;
  guards.headers = outcome.headers;
  guards.hasFailed = outcome.hasFailed;
  if (outcome.later) guards.later.push({ phase: 'input', results: outcome.later });
  if (outcome.denial) {
    const isStream = isObject(body.value) && body.value.stream === true;
    leg.denied = denialAnswer(outcome.denial, guards, {
      endpoint: call.route.endpoint,
      model: target.model,
      isStream,
    });
  } else if (body.isEdited) guards.edited = editedBody(given, call.headers, body);
  else if (given !== call.body) guards.edited = given;
  guards.hasParameters = given !== call.body;
}

/** A path and a query that are passed on may carry a text; what is there cannot be edited, only refused. */
function addressOf({ path, query, route }: Call): ReadTexts {
  if (route.endpoint !== 'proxy') return NO_TEXTS;
  const members = new URLSearchParams(query);
  const { segments } = readJson(
    Object.fromEntries([...members.keys()].map((name) => [name, members.getAll(name)])),
    'input',
  );
  const steps = readJson(path.split('/').filter(Boolean), 'input').segments;
  return {
    ...NO_TEXTS,
    segments: [...segments, ...steps.map((step) => ({ ...step, kind: 'title' as const }))],
  };
}

/** What the call says: in its path and query, if they are passed on, and in its body. */
function inputOf(call: Call, given: RequestBody): ByteBody {
  const { segments } = addressOf(call);
  const body = bodyIn(call, given);
  return segments.length === 0 || given.kind === 'none' ? body : new QueriedBody(body, segments);
}

function bodyIn(call: Call, body: RequestBody): ByteBody {
  if (body.kind === 'json') return new JsonBytes(body.bytes, body.value, 'input');
  if (body.kind === 'none') return { ...unreadableBody(Buffer.alloc(0), ''), texts: addressOf(call) };
  if (body.kind === 'stream')
    return unreadableBody(Buffer.alloc(0), 'it is too large, or of unknown length, and goes on as it comes');
  if (body.form) return new FormBody(body.form);
  return bodyOf(body.bytes, call.headers['content-type'] ?? '', 'input');
}

function editedBody(given: RequestBody, headers: Call['headers'], edited: ByteBody): RequestBody {
  const bytes = edited.bytes();
  if (given.kind === 'json' && isObject(edited.value)) return { kind: 'json', bytes, value: edited.value };
  const boundary = boundaryOf(headers['content-type']);
  return { kind: 'bytes', bytes, form: boundary === null ? null : parseForm(bytes, boundary) };
}
