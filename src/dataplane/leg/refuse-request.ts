import type { Endpoint } from '../../providers/index.ts';
import type { OwnAnswer } from '../guardrails/denial.ts';
import { answering, refusing } from '../send/in-process.ts';
import type { Send } from '../send/upstream.ts';
import type { Leg } from './leg.ts';

/**
 * Lets an error take the place of the provider's answer, for retries and strategies to judge: the gateway's code for the
 * provider refused to write the request. Throws what is no GatewayError.
 */
export function refuseRequest(leg: Leg, error: unknown, endpoint: Endpoint): void {
  answerHere(leg, refusing(error, endpoint), endpoint);
}

/** Lets the refusal of a guardrail take the place of the provider's answer. */
export function denyRequest(leg: Leg, denied: OwnAnswer): void {
  answerHere(leg, answering(denied), leg.call.route.endpoint);
}

function answerHere(leg: Leg, send: Send, endpoint: Endpoint): void {
  const { call, target } = leg;
  const { base } = target;
  leg.local = send;
  leg.endpoint = endpoint;
  // Where the request would have gone.
  leg.request = {
    origin: base?.origin ?? null,
    path: `${base?.path ?? ''}${call.route.upstreamPath}`,
    method: call.method,
    headers: {},
    body: null,
  };
}
