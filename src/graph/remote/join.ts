import {
  type DocumentNode,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  Kind,
  parse,
} from 'graphql';
import { composeWithRemotes } from '../composition/compose.ts';
import { type Graph, publicSchema } from '../composition/graph.ts';
import { keysOf } from '../composition/subgraph-document.ts';
import { describeRules } from '../rules/describe.ts';
import { RefusedRemote, remoteDocument } from './remote-document.ts';
import { gatewayDocument } from './stitch/gateway-document.ts';
import { type SubgraphExecutor, stitchedSchema } from './stitch/stitched-schema.ts';

export type RemoteSdl = { name: string; sdl: string; execute: SubgraphExecutor };

export type Joined = {
  /** What callers see: the gateway's own graph and what the remotes add. */
  schema: GraphQLSchema;
  supergraphSdl: string;
  /** Runs operations that touch a remote. */
  stitched: GraphQLSchema;
};

/** The graph together with remote subgraphs; throws when they do not fit, or would change what is the gateway's. */
export function join(graph: Graph, local: SubgraphExecutor, remotes: readonly RemoteSdl[]): Joined {
  const keyed = new Map(remotes.map(({ name, sdl }) => [name, keyedTypes(parse(sdl, { maxTokens }))]));
  const documents = remotes.map(({ name, sdl }) => ({
    name,
    document: remoteDocument(sdl, {
      schema: graph.schema,
      isForeignEntity: (type) =>
        type in graph.references || [...keyed].some(([other, types]) => other !== name && types.has(type)),
    }),
  }));
  const { supergraphSdl, publicDocument } = composeWithRemotes([...graph.documents, ...documents]);
  const schema = publicSchema(publicDocument);
  const [change] = [
    ...findBreakingChanges(graph.schema, schema),
    ...findDangerousChanges(graph.schema, schema),
  ];
  if (change) throw new RefusedRemote(`it would change the gateway's own schema: ${change.description}`);
  describeRules(schema);
  const stitched = stitchedSchema([
    { name: 'gateway', document: gatewayDocument(graph), execute: local },
    ...documents.map((document, index) => ({ ...document, execute: remotes[index]?.execute ?? local })),
  ]);
  return { schema, supergraphSdl, stitched };
}

const maxTokens = 100_000;

const keyedTypes = ({ definitions }: DocumentNode): Set<string> =>
  new Set(
    definitions.flatMap((node) =>
      (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) &&
      keysOf(node).length > 0
        ? [node.name.value]
        : [],
    ),
  );
