import { execute, type GraphQLSchema } from 'graphql';
import type { SubgraphExecutor } from './stitched-schema.ts';

/** Answers a subgraph's requests from a schema in this process. */
export const localExecutor =
  (schema: GraphQLSchema): SubgraphExecutor =>
  ({ document, variables, context }) =>
    execute({ schema, document, variableValues: variables ?? null, contextValue: context });
