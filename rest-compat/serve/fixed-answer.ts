import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../src/errors/index.ts';
import { answerError } from './answer.ts';

/** An answer that is the same for everybody for as long as the process runs. */
export type FixedAnswer = { body: Buffer; headers: Record<string, string> };

/** Prepares an answer with its ETag. */
export function fixedAnswer(body: Buffer | string, contentType: string): FixedAnswer {
  const bytes = Buffer.from(body);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  return {
    body: bytes,
    headers: {
      'content-type': contentType,
      etag,
      // Kept by the browser, but asked for again: an update of the service shows at once.
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
  };
}

/** Answers GET and HEAD; 304 to a caller that has the same already. */
export function sendFixed(request: IncomingMessage, response: ServerResponse, answer: FixedAnswer): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    answerError(request, response, new GatewayError('METHOD_NOT_ALLOWED'), { allow: 'HEAD, GET' });
    return;
  }
  const { body, headers } = answer;
  if (isKnown(request.headers['if-none-match'], headers.etag ?? '')) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const isKnown = (known = '', etag: string): boolean =>
  known.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
