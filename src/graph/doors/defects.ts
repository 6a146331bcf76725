import type { GraphQLError } from 'graphql';
import type { GraphContext } from '../../subgraphs/context.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { causeOf } from './errors.ts';

/** Logs defects: their callers get INTERNAL without any detail. */
export function logDefects(
  errors: readonly GraphQLError[],
  { log, request }: Pick<GraphContext, 'log' | 'request'>,
  operationName: string | null | undefined,
): void {
  for (const thrown of errors) {
    if (!thrown.path) continue;
    const error = causeOf(thrown);
    // A fault of a remote subgraph is no defect of this service, and is logged once a request elsewhere.
    if (error.entry.status < 500 || error instanceof RemoteError) continue;
    log.error({ error, requestId: request.id, operationName, path: thrown.path.join('.') }, error.message);
  }
}
