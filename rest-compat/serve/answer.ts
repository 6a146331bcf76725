import type { IncomingMessage, ServerResponse } from 'node:http';
import { administrationBody, errorHeaders, type GatewayError } from '../../src/errors/index.ts';

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

/** An answer that is all in its status and headers. */
export function answerEmpty(response: ServerResponse, status: number, headers: Headers): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'cache-control': 'no-store', ...headers });
  response.end();
}

export function answerError(
  request: IncomingMessage,
  response: ServerResponse,
  error: GatewayError,
  headers: Headers,
): void {
  const more = errorHeaders(error);
  // The rest of a body that is too large, or was given up, is not read: the connection cannot carry another request.
  const isGivenUp = request.readableDidRead && !request.complete;
  if (error.code === 'BODY_TOO_LARGE' || isGivenUp) more.connection = 'close';
  const text = JSON.stringify(administrationBody(error));
  answerJson(request, response, error.entry.status, text, { ...headers, ...more });
}
