import type { IncomingMessage } from 'node:http';
import type { GraphContext } from '../subgraphs/context.ts';

const harmless = /^[\w.:-]{1,128}$/;

/** Adopts the caller's `x-request-id` when it is harmless to repeat, so that answer, log and audit trail agree on one. */
export function adoptRequestId<T extends Pick<GraphContext, 'request'>>(
  context: T,
  request: IncomingMessage,
): T {
  const given = request.headers['x-request-id'];
  if (typeof given === 'string' && harmless.test(given)) context.request.id = given;
  return context;
}
