import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  print,
  validateSchema,
} from 'graphql';
import type { GraphContext } from '../subgraphs/context.ts';
import { declaredTypes } from './claims.ts';
import { compose } from './compose.ts';
import { fuse } from './fuse.ts';
import { describeRules } from './rules/describe.ts';
import { scalars } from './scalars.ts';
import type { SubgraphSource } from './sources.ts';
import { subgraphDocument } from './subgraph-document.ts';

export type Graph = {
  /** The public schema over all subgraphs, executable, with the rules of the SDL enforced in its resolvers. */
  schema: GraphQLSchema;
  /** The public schema as text. */
  sdl: string;
  /** What a federation router needs to run the same subgraphs. */
  supergraphSdl: string;
  /** Runs a document that was validated against `schema` before. */
  execute(
    document: DocumentNode,
    variables: Record<string, unknown>,
    context: GraphContext,
  ): ExecutionResult | Promise<ExecutionResult>;
};

/** Composes and fuses the subgraphs; throws, saying what is wrong, when they do not make one graph. */
export function createGraph(sources: SubgraphSource[]): Graph {
  const subgraphs = sources.map((source) => ({ ...source, document: subgraphDocument(source.files) }));
  const { supergraphSdl, publicDocument } = compose(subgraphs);
  const schema = makeExecutableSchema({
    typeDefs: publicDocument,
    resolvers: scalars,
    // A small graph may do without some of the scalars.
    resolverValidationOptions: { requireResolversToMatchSchema: 'ignore' },
  });
  const [mistake] = validateSchema(schema);
  if (mistake) throw mistake;
  fuse(
    schema,
    subgraphs.map(({ document, ...source }) => ({ ...source, types: declaredTypes(document) })),
  );
  describeRules(schema);
  return {
    schema,
    sdl: `${print(publicDocument)}\n`,
    supergraphSdl,
    execute: (document, variableValues, contextValue) =>
      execute({ schema, document, variableValues, contextValue }),
  };
}
