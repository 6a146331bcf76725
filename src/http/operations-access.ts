import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress } from '../lib/http/addresses.ts';

/** Whether a request may see what concerns all tenants: metrics, and the details of readiness. */
export type OperationsAccess = (request: IncomingMessage) => boolean;

/**
 * Headers by which a proxy says that it has passed a request on: behind a proxy on this machine every peer looks
 * local.
 */
const forwarding = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopbackAddress(socket.remoteAddress ?? '') && forwarding.every((name) => headers[name] === undefined);

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Allows programs on this machine, and callers that send the token as `Authorization: Bearer`. */
export function createOperationsAccess(token: string | null): OperationsAccess {
  const expected = token === null ? null : digest(token);
  const hasToken = ({ headers }: IncomingMessage): boolean => {
    const [, given] = /^bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
    return expected !== null && given !== undefined && timingSafeEqual(digest(given), expected);
  };
  return (request) => isLocal(request) || hasToken(request);
}
