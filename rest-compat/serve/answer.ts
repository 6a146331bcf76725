import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  administrationBody,
  errorHeaders,
  type GatewayError,
  openAiBody,
  textBody,
} from '../../src/errors/index.ts';
import { compressed } from '../../src/lib/http/compressed.ts';
import type { RestDirective } from '../compile/rest-directive.ts';
import { entityTag } from './entity-tag.ts';

type Headers = Record<string, string>;

export function answerJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: Headers,
): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** The answer of a read, which holds no secret: compressed where it is long and the caller takes that. */
export async function answerRead(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
  headers: Headers,
): Promise<void> {
  const { body, headers: encoded } = await compressed(request, response, text);
  if (response.destroyed) return;
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
    etag: entityTag(text, encoded['content-encoding']),
    ...encoded,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** An answer that is all in its status and headers. */
export function answerEmpty(response: ServerResponse, status: number, headers: Headers): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'cache-control': 'no-store', ...headers });
  response.end();
}

/** What a document says of its errors. */
type ErrorForm = Partial<Pick<RestDirective, 'legacyRefusals' | 'errors'>>;

const bodies = { ADMINISTRATION: administrationBody, INFERENCE: openAiBody, TEXT: textBody };

export function answerError(
  request: IncomingMessage,
  response: ServerResponse,
  error: GatewayError,
  headers: Headers,
  { legacyRefusals = false, errors = 'ADMINISTRATION' }: ErrorForm = {},
): void {
  const more = errorHeaders(error);
  // The rest of a body that is too large, or was given up, is not read: the connection cannot carry another request.
  const isGivenUp = request.readableDidRead && !request.complete;
  if (error.code === 'BODY_TOO_LARGE' || isGivenUp) more.connection = 'close';
  const text = JSON.stringify({ ...(legacyRefusals && legacyMembers(error)), ...bodies[errors](error) });
  answerJson(request, response, error.entry.status, text, { ...headers, ...more });
}

/** What the oldest paths say of a missing or wrong credential, beside the `error` of today. */
const legacyMembers = ({ entry, message }: GatewayError) =>
  entry.status === 401 && { success: false, data: { message } };
