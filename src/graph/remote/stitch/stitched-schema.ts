import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { GraphContext } from '../../../subgraphs/context.ts';
import { composeWithRemotes, type SubgraphDocument } from '../../composition/compose.ts';
import { correctErrorPaths } from './error-paths.ts';

/** One request that stitching makes of one subgraph. */
export type SubgraphRequest = {
  /** The subgraph's own schema. */
  schema: GraphQLSchema;
  document: DocumentNode;
  variables?: Record<string, unknown>;
  context?: GraphContext;
};

export type SubgraphExecutor = (request: SubgraphRequest) => ExecutionResult | Promise<ExecutionResult>;

export type StitchedSubgraph = SubgraphDocument & { execute: SubgraphExecutor };

/** A schema whose fields delegate to the subgraphs that have them. */
export function stitchedSchema(subgraphs: readonly StitchedSubgraph[]): GraphQLSchema {
  const executors = new Map(subgraphs.map(({ name, execute }) => [name, execute]));
  const { supergraphSdl } = composeWithRemotes(
    // The URL carries the name, which composition spells differently elsewhere.
    subgraphs.map(({ name, document }) => ({ name, document, url: name })),
  );
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl,
    onSubschemaConfig(config) {
      const own = executors.get(config.endpoint);
      if (!own) throw new Error(`The subgraph ${config.endpoint} has no executor.`);
      const { schema } = config;
      config.executor = ((request: Omit<SubgraphRequest, 'schema'>) =>
        own({ ...request, schema })) as typeof config.executor;
    },
  });
  correctErrorPaths(schema);
  return schema;
}
