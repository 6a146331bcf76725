import type { IncomingMessage, ServerResponse } from 'node:http';
import { administrationBody, GatewayError } from '../errors/index.ts';
import { plainPageHeaders } from '../lib/http/page-headers.ts';

/** Answers with JSON that no browser shows as anything else. */
export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...plainPageHeaders, 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const READ_METHODS = 'GET, HEAD, OPTIONS';

/** Answers any other method than those that read. */
export function answerMethods({ method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'OPTIONS') response.writeHead(204, { allow: READ_METHODS }).end();
  else refuseMethod(response, READ_METHODS);
}

export function refuseMethod(response: ServerResponse, allow: string): void {
  response.setHeader('allow', allow);
  answer(response, 405, administrationBody(new GatewayError('METHOD_NOT_ALLOWED')));
}
