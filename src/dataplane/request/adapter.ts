import type { IncomingHttpHeaders } from 'node:http';
import { chatOverResponses } from '../../formats/chat-completions/over-responses/index.ts';
import { overChatOf } from '../../formats/index.ts';
import { jsonAt } from '../../formats/over-chat/fields.ts';
import type { Translation } from '../../formats/over-chat/translation.ts';
import { headerOf } from '../../lib/http/headers.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Endpoint, Provider } from '../../providers/index.ts';
import type { Route } from '../call/routes.ts';
import type { OutgoingBody } from './body.ts';

/** What is asked of a provider: as a rule what the caller asks of the gateway. */
export type Asked = Pick<Route, 'endpoint' | 'upstreamPath'> & { query: string };

const chat: Asked = { endpoint: 'chatComplete', upstreamPath: '/chat/completions', query: '' };
const response: Asked = { endpoint: 'createResponse', upstreamPath: '/responses', query: '' };

/** `x-gateway-beta` with which messages are adapted through responses instead of chat. */
const RESPONSES_BETA = 'use-responses-api-2026-07-30';

/** What a provider is asked instead of the endpoint that was called, and how that is translated. */
export type Adapter = { asked: Asked; translation: Translation };

/** Null where the provider takes the endpoint itself, or nothing in which it can be said. */
export function adapterFor(endpoint: Endpoint, target: Asking, headers: IncomingHttpHeaders): Adapter | null {
  const callerSide = overChatOf(endpoint);
  if (!callerSide || takes(target, endpoint)) return null;
  if (endpoint === 'messages' && wantsResponses(headers) && takes(target, 'createResponse'))
    return { asked: response, translation: { callerSide, providerSide: chatOverResponses } };
  return takes(target, 'chatComplete')
    ? { asked: chat, translation: { callerSide, providerSide: null } }
    : null;
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

/** The request that says to the provider what `request`, the caller's body, says. */
export function translatedBody({ callerSide, providerSide }: Translation, request: JsonObject): OutgoingBody {
  const chat = callerSide.request(request);
  const value = providerSide ? providerSide.request(chat) : chat;
  return { content: Buffer.from(jsonAt(value, 'body')), value, changed: true, growth: 0 };
}
