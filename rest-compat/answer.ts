import type { IncomingMessage, ServerResponse } from 'node:http';
import { administrationBody, type GatewayError } from '../src/errors/index.ts';

const saneRequestId = /^[\w.:-]{1,128}$/;

/** The caller's request id when it is harmless to repeat, else the one this process made. */
export function requestIdOf(request: IncomingMessage, own: string): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && saneRequestId.test(given) ? given : own;
}

export function answerJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string>,
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

export function answerError(
  request: IncomingMessage,
  response: ServerResponse,
  error: GatewayError,
  headers: Record<string, string>,
): void {
  // The rest of a body that is too large is not read, so the connection cannot carry another request.
  const closing: Record<string, string> = error.code === 'BODY_TOO_LARGE' ? { connection: 'close' } : {};
  const text = JSON.stringify(administrationBody(error));
  answerJson(request, response, error.entry.status, text, { ...headers, ...closing });
}
