import { GatewayError } from '../../errors/index.ts';
import { alone } from '../../lib/bodies/alone.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { sizeUp } from '../limits/size-up.ts';
import type { Adapter, Asked } from '../request/adapter.ts';
import { adapterFor, translatedBody } from '../request/adapter.ts';
import { askForUsage, withoutRefusedOptions } from '../request/ask-usage.ts';
import { outgoingBody } from '../request/body.ts';
import type { Target } from '../target/target.ts';
import { askDialect } from './ask-dialect.ts';
import { askOverHttp } from './ask-over-http.ts';
import type { Leg } from './leg.ts';
import type { LegStep } from './leg-step.ts';
import { denyRequest, refuseRequest } from './refuse-request.ts';

/**
 * Makes what goes to the provider: in the provider's own dialect, by code of this process, or over HTTP in the format that
 * the caller used; or else, where the provider takes another format in which the same can be said, in that one.
 * Throws UNSUPPORTED_ENDPOINT when the provider takes the call in none.
 */
export const makeRequest: LegStep = (leg, dependencies, next) => {
  const pending = prepare(leg, dependencies);
  // Nothing to wait for, as a rule, and a wait for nothing would be paid by every call.
  return pending ? pending.then(() => next(leg, dependencies)) : next(leg, dependencies);
};

function prepare(leg: Leg, dependencies: DataplaneDependencies): Promise<void> | undefined {
  const { call, target } = leg;
  const { endpoint, upstreamPath } = call.route;
  leg.body = outgoingBody(leg);
  if (leg.denied !== null) {
    denyRequest(leg, leg.denied);
    return;
  }
  if (leg.refused !== null) {
    refuseRequest(leg, leg.refused, endpoint);
    return;
  }
  if (leg.limits !== null) sizeUp(leg, leg.limits, dependencies.limiting);
  const adapter = adapterFor(endpoint, target, call.headers);
  if (adapter && leg.body.value) return translated(leg, adapter, leg.body.value, dependencies);
  leg.body = askForUsage(leg, endpoint);
  return ask(leg, { endpoint, upstreamPath, query: call.query }, dependencies);
}

function translated(
  leg: Leg,
  { asked, translation }: Adapter,
  value: Record<string, unknown>,
  dependencies: DataplaneDependencies,
): Promise<void> | undefined {
  const from = leg.body;
  try {
    leg.body = withoutRefusedOptions(translatedBody(translation, value), leg.target.provider);
  } catch (error) {
    refuseRequest(leg, error, leg.call.route.endpoint);
    return;
  }
  leg.translated = { from, translation };
  return ask(leg, asked, dependencies);
}

function ask(leg: Leg, asked: Asked, dependencies: DataplaneDependencies): Promise<void> | undefined {
  const { provider } = leg.target;
  const { endpoint } = asked;
  const { content, value } = leg.body;
  // A stream may last for minutes, and its request is kept as long.
  if (value?.stream === true && Buffer.isBuffer(content)) leg.body.content = alone(content);
  const loadDialect = provider.dialects?.[endpoint];
  if (loadDialect || provider.respond) requireHeld(leg);
  if (loadDialect) return loadDialect().then((dialect) => askDialect(leg, asked, dialect, dependencies));
  if (!provider.endpoints.has(endpoint)) throw unsupported(leg.target, asked);
  if (!provider.respond) return askOverHttp(leg, asked, dependencies);
  askDialect(leg, asked, provider.respond, dependencies);
}

/** Code that translates a request has to see all of it. */
function requireHeld({ call, target: { provider } }: Leg): void {
  if (call.body.kind !== 'stream') return;
  throw new GatewayError('UNSUPPORTED_ENDPOINT', {
    message: `The provider ${provider.id} takes no ${call.route.upstreamPath} unread: its format is another one, or the body is too large to translate.`,
    param: 'provider',
  });
}

function unsupported({ provider }: Target, { upstreamPath }: Asked): GatewayError {
  const advice = provider.respond
    ? 'It answers in the gateway itself and has no more below /v1/proxy.'
    : `To send the request as it is, call /v1/proxy${upstreamPath}.`;
  return new GatewayError('UNSUPPORTED_ENDPOINT', {
    message: `The provider ${provider.id} has no ${upstreamPath}. ${advice}`,
    param: 'provider',
  });
}
