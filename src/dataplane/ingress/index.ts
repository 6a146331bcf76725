import { type GatewayError, inferenceBody } from '../../errors/index.ts';
import type { Endpoint } from '../../providers/index.ts';
import type { Ingress } from './ingress.ts';
import { messages } from './messages/index.ts';
import { responses } from './responses/index.ts';

export type { Ingress } from './ingress.ts';
export { chatBody, throughChat } from './send.ts';

const ingresses: Partial<Record<Endpoint, Ingress>> = { messages, createResponse: responses };

/** The format of an endpoint that every provider of chat can answer (spec/data-plane.md, section 10.2). */
export const ingressOf = (endpoint: Endpoint): Ingress | undefined => ingresses[endpoint];

/** The body of an error of the gateway, in the format of the endpoint that was called. */
export function errorBodyFor(endpoint: Endpoint, error: GatewayError): Record<string, unknown> {
  const body = inferenceBody(error);
  const ingress = endpoint === 'countTokens' ? messages : ingresses[endpoint];
  return ingress?.error(error.entry.status, body) ?? body;
}
