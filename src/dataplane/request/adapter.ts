import type { IncomingHttpHeaders } from 'node:http';
import { type GatewayError, inferenceBody } from '../../errors/index.ts';
import { overResponses } from '../../formats/chat-completions/over-responses/index.ts';
import { messages } from '../../formats/messages/over-chat/index.ts';
import { responses } from '../../formats/responses/over-chat/index.ts';
import type { Ingress } from '../../formats/translation.ts';
import { headerOf } from '../../lib/http-headers.ts';
import type { Endpoint, Provider } from '../../providers/index.ts';
import type { Route } from '../call/routes.ts';
import type { Translation } from '../leg/layers/translate.ts';

export { translatedBody, translatedSend } from '../leg/layers/translate.ts';

/** What is asked of a provider: as a rule what the caller asks of the gateway. */
export type Asked = Pick<Route, 'endpoint' | 'upstreamPath'> & { query: string };

const ingresses: Partial<Record<Endpoint, Ingress>> = { messages, createResponse: responses };

const chat: Asked = { endpoint: 'chatComplete', upstreamPath: '/chat/completions', query: '' };
const response: Asked = { endpoint: 'createResponse', upstreamPath: '/responses', query: '' };

/** `x-gateway-beta` with which messages are adapted through responses instead of chat (spec/data-plane.md, section 1.1). */
const RESPONSES_BETA = 'use-responses-api-2026-07-30';

/** What a provider is asked instead of the endpoint that was called, and how that is translated. */
export type Adapter = { asked: Asked; translation: Translation };

/** Null where the provider takes the endpoint itself, or nothing in which it can be said (spec/data-plane.md, section 10.2). */
export function adapterFor(endpoint: Endpoint, target: Asking, headers: IncomingHttpHeaders): Adapter | null {
  const ingress = ingresses[endpoint];
  if (!ingress || takes(target, endpoint)) return null;
  if (endpoint === 'messages' && wantsResponses(headers) && takes(target, 'createResponse'))
    return { asked: response, translation: { ingress, egress: overResponses } };
  return takes(target, 'chatComplete') ? { asked: chat, translation: { ingress, egress: null } } : null;
}

/** Who is asked, and for which model. */
type Asking = { provider: Provider; model: string | null };

function takes({ provider, model }: Asking, endpoint: Endpoint): boolean {
  const { endpoints, dialects } = provider;
  if (dialects?.[endpoint] === undefined && !endpoints.has(endpoint)) return false;
  return model === null || !provider.lacks?.(endpoint, model);
}

/** Unknown names in the list ask for nothing. */
const wantsResponses = (headers: IncomingHttpHeaders): boolean =>
  (headerOf(headers, 'x-gateway-beta') ?? '').split(',').some((name) => name.trim() === RESPONSES_BETA);

/** The body of an error of the gateway, in the format of the endpoint that was called. */
export function errorBodyFor(endpoint: Endpoint, error: GatewayError): Record<string, unknown> {
  const body = inferenceBody(error);
  const ingress = endpoint === 'countTokens' ? messages : ingresses[endpoint];
  return ingress?.error(error.entry.status, body) ?? body;
}
