import type { RestMethod } from '../compile/rest-directive.ts';
import type { Header, OpenApiParameter } from './document.ts';

/** The headers that requests may carry. */
export const requestHeaderParameters = {
  'x-request-id': {
    name: 'x-request-id',
    in: 'header',
    description: 'A name of the caller for the request; one is made when it is absent or not harmless.',
    schema: { type: 'string' },
  },
  'x-gateway-workspace-id': {
    name: 'x-gateway-workspace-id',
    in: 'header',
    description:
      'With an access token: the workspace, by id or slug, that the request is about. Needed by accounts with roles on several workspaces alone.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of an answer that the caller has: while it is current, a read answers 304 without a body.',
    schema: { type: 'string' },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` that a read of this path answered: the write is done only while it is current.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Chosen by the caller: the same request with the same key within 24 hours is answered, not done again.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
} as const satisfies Record<string, OpenApiParameter>;

/** The headers that answers carry. */
export const answerHeaders = {
  'x-request-id': {
    description: 'Names the request in logs and the audit trail.',
    schema: { type: 'string' },
  },
  ETag: { description: 'Names this very answer.', schema: { type: 'string' } },
  'retry-after': {
    description: 'Seconds after which the request may be tried again.',
    schema: { type: 'integer' },
  },
  'Idempotent-Replayed': {
    description: 'On an answer that was given before.',
    schema: { type: 'string', enum: ['true'] },
  },
} as const satisfies Record<string, Header>;

type Headers = { request: (keyof typeof requestHeaderParameters)[]; answer: (keyof typeof answerHeaders)[] };

/** The headers of a document's requests and answers; `isReadable`: a GET of the same path gives the ETag. */
export function headersOf(method: RestMethod, isReadable: boolean): Headers {
  if (method === 'GET')
    return { request: ['If-None-Match', 'x-request-id'], answer: ['ETag', 'x-request-id'] };
  if (method === 'POST') {
    return { request: ['Idempotency-Key', 'x-request-id'], answer: ['Idempotent-Replayed', 'x-request-id'] };
  }
  const request: Headers['request'] = isReadable ? ['If-Match', 'x-request-id'] : ['x-request-id'];
  return { request, answer: ['x-request-id'] };
}

/** References to the headers, as a request lists them and as an answer does. */
export const requestReferences = (names: Headers['request']) =>
  names.map((name) => ({ $ref: `#/components/parameters/${name}` }));

export const answerReferences = (names: Headers['answer']) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
