import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  Kind,
  validateSchema,
} from 'graphql';
import type { GraphContext } from '../../subgraphs/context.ts';
import type { ReferenceResolver } from '../../subgraphs/subgraph.ts';
import { describeRules } from '../rules/describe.ts';
import type { SubgraphDocument } from './compose.ts';
import { declaredTypes } from './entity-owners.ts';
import { fuse } from './fuse.ts';
import { scalars } from './scalars.ts';
import type { SubgraphSource } from './sources.ts';
import { subgraphSchema } from './subgraph-schema.ts';
import { composed } from './supergraph.ts';

/** One built-in subgraph; its schema is made on first use. */
export type BuiltInSubgraph = { readonly name: string; readonly schema: GraphQLSchema };

export type Graph = {
  /** The public schema over all subgraphs, executable, with the rules of the SDL enforced in its resolvers. */
  schema: GraphQLSchema;
  /** The public schema as text. */
  sdl: string;
  /** What a federation router needs to run the same subgraphs. */
  supergraphSdl: string;
  /** The same as `sdl`, parsed. */
  document: DocumentNode;
  /** What each subgraph says, for composing them with others. */
  documents: readonly SubgraphDocument[];
  /** How each entity is loaded by its id, by type name. */
  references: Readonly<Record<string, ReferenceResolver>>;
  /** Each subgraph alone, executable, with `_service` and `_entities` for a federation router. */
  subgraphs: readonly BuiltInSubgraph[];
  /** Runs a document that was validated against `schema` before. */
  execute(
    document: DocumentNode,
    variables: Record<string, unknown>,
    context: GraphContext,
  ): ExecutionResult | Promise<ExecutionResult>;
};

type Made = { sources: readonly SubgraphSource[]; elsewhere: ReadonlySet<string>; graph: Graph };

/**
 * The latest of this process. Gateways of one process have the same subgraphs, and a graph holds nothing of a gateway: each
 * request brings its context. Without this, a graph would take most of the start of each.
 */
let latest: Made | undefined;

/**
 * Composes and fuses the subgraphs; throws, saying what is wrong, when they do not make one graph. Entities that live
 * `elsewhere`, in a subgraph of another process, are answered as their id alone.
 */
export function createGraph(sources: SubgraphSource[], elsewhere: ReadonlySet<string> = new Set()): Graph {
  if (!latest || !isMadeOf(latest, sources, elsewhere))
    latest = { sources: [...sources], elsewhere, graph: made(sources, elsewhere) };
  return latest.graph;
}

const isMadeOf = (made: Made, sources: SubgraphSource[], elsewhere: ReadonlySet<string>): boolean =>
  made.sources.length === sources.length &&
  made.sources.every((source, at) => source === sources[at]) &&
  made.elsewhere.size === elsewhere.size &&
  [...elsewhere].every((entity) => made.elsewhere.has(entity));

function made(sources: SubgraphSource[], elsewhere: ReadonlySet<string>): Graph {
  const { documents, supergraphSdl, publicDocument, sdl } = composed(sources);
  const subgraphs = sources.map((source, at) => ({
    source,
    document: documents[at]?.document as DocumentNode,
  }));
  const schema = publicSchema(publicDocument);
  fuse(
    schema,
    subgraphs.map(({ source, document }) => ({ ...source, types: declaredTypes(document) })),
    elsewhere,
  );
  describeRules(schema);
  return {
    schema,
    sdl,
    supergraphSdl,
    document: publicDocument,
    documents,
    references: Object.assign({}, ...sources.map(({ references }) => references)),
    subgraphs: subgraphs.map(({ source, document }) => builtIn(source, document)),
    execute: (document, variableValues, contextValue) =>
      execute({ schema, document, variableValues, contextValue }),
  };
}

/** What callers see as it was composed, with the project's scalars and without any resolver; throws when it is no valid schema. */
export function publicSchema(typeDefs: DocumentNode): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs,
    // The composer has checked its input; its output is checked below.
    assumeValidSDL: true,
    resolvers: scalars,
    // A small graph may do without some of the scalars.
    resolverValidationOptions: { requireResolversToMatchSchema: 'ignore' },
  });
  const [mistake] = validateSchema(schema);
  if (mistake) throw mistake;
  describeScalars(schema, typeDefs);
  return schema;
}

/** A scalar that code implements has lost the description of its SDL. */
function describeScalars(schema: GraphQLSchema, { definitions }: DocumentNode): void {
  for (const node of definitions) {
    if (node.kind !== Kind.SCALAR_TYPE_DEFINITION || !node.description) continue;
    const type = schema.getType(node.name.value);
    if (type) type.description = node.description.value;
  }
}

function builtIn(source: SubgraphSource, document: DocumentNode): BuiltInSubgraph {
  let schema: GraphQLSchema | undefined;
  return {
    name: source.name,
    get schema() {
      schema ??= subgraphSchema(source, document);
      return schema;
    },
  };
}
