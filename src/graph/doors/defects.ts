import type { GraphQLError } from 'graphql';
import type { GraphContext } from '../../subgraphs/context.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { causeOf } from './errors.ts';

/** Defects answer INTERNAL without a word of detail, so the log must have it. */
export function logDefects(
  errors: readonly GraphQLError[],
  { log, request }: Pick<GraphContext, 'log' | 'request'>,
  operationName: string | null | undefined,
): void {
  for (const thrown of errors) {
    if (!thrown.path) continue;
    const error = causeOf(thrown);
    // What a remote subgraph does wrong is no defect of ours, and is logged once a request.
    if (error.entry.status < 500 || error instanceof RemoteError) continue;
    log.error({ error, requestId: request.id, operationName, path: thrown.path.join('.') }, error.message);
  }
}
