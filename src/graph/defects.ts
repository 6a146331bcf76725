import type { GraphQLError } from 'graphql';
import type { GraphContext } from '../subgraphs/context.ts';
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
    if (error.entry.status < 500) continue;
    log.error({ error, requestId: request.id, operationName, path: thrown.path.join('.') }, error.message);
  }
}
