import type { IncomingMessage, ServerResponse } from 'node:http';
import { administrationBody, type GatewayError } from '../src/errors/index.ts';

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
