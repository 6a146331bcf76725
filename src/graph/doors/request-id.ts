import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { GraphContext } from '../../subgraphs/context.ts';

const harmless = /^[\w.:-]{1,128}$/;

/** Adopts the caller's `x-request-id` when it is harmless to repeat, so that answer, log and audit trail agree on one. */
export function adoptRequestId<T extends Pick<GraphContext, 'request'>>(
  context: T,
  request: IncomingMessage,
): T {
  context.request.id = givenId(request) ?? context.request.id;
  return context;
}

/** The id of a long-lived connection, by the same rule. */
export const requestIdOf = (request: IncomingMessage): string => givenId(request) ?? randomUUID();

function givenId({ headers }: IncomingMessage): string | null {
  const given = headers['x-request-id'];
  return typeof given === 'string' && harmless.test(given) ? given : null;
}
