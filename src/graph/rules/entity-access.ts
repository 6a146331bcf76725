import { type GraphQLSchema, getNullableType } from 'graphql';
import { requireScope } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { readRule } from './read-rule.ts';

/**
 * Who may load an entity by reference: the same callers who may read it at the root. Otherwise a subgraph that names
 * an id would open what the caller's scopes keep closed.
 */
export function entityAccess(schema: GraphQLSchema, type: string): (context: GraphContext) => void {
  const field = Object.values(schema.getQueryType()?.getFields() ?? {}).find(
    (root) => getNullableType(root.type) === schema.getType(type),
  );
  const access = field && readRule(schema, 'access', field);
  return ({ principal }) => {
    if (access) requireScope(principal, access.anyOf);
    else if (!principal) throw new GatewayError('UNAUTHENTICATED');
  };
}
