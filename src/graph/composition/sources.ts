import { readFileSync } from 'node:fs';
import type { ReferenceResolver, Resolvers, Subgraph } from '../../subgraphs/subgraph.ts';

export type SdlFile = { path: string; text: string };

/** Everything the graph is built from, as values: one subgraph's SDL with the resolvers that answer it. */
export type SubgraphSource = {
  name: string;
  files: SdlFile[];
  resolvers: Resolvers;
  /** Loaders of the entities that this subgraph owns, by type name. */
  references: Record<string, ReferenceResolver>;
};

const schemaFolder = new URL('../../../schema/', import.meta.url);

const readSdl = (path: string): SdlFile => ({
  path: `schema/${path}`,
  text: readFileSync(new URL(path, schemaFolder), 'utf8'),
});

/** The directives, scalars and types that every subgraph's SDL may use. */
export const sharedFiles: SdlFile[] = [
  readSdl('directives.graphql'),
  readSdl('limits.graphql'),
  readSdl('secret-mappings.graphql'),
];

/** Each subgraph is read once, so that gateways of one process are known to have the same ones. */
const known = new WeakMap<Subgraph, SubgraphSource>();

/** Reads `schema/<subgraph>/<resource>.graphql` of every resource and gathers the resources' resolvers. */
export const readSources = (subgraphs: Subgraph[]): SubgraphSource[] =>
  subgraphs.map((subgraph) => {
    const source = known.get(subgraph) ?? readSource(subgraph);
    known.set(subgraph, source);
    return source;
  });

const readSource = ({ name, resources }: Subgraph): SubgraphSource => ({
  name,
  files: resources.map((resource) => readSdl(`${name}/${resource.name}.graphql`)),
  resolvers: mergeResolvers(
    name,
    resources.map((resource) => resource.resolvers),
  ),
  references: Object.assign({}, ...resources.map((resource) => resource.references)),
});

function mergeResolvers(subgraph: string, all: Resolvers[]): Resolvers {
  const merged: Resolvers = {};
  for (const resolvers of all) {
    for (const [type, fields] of Object.entries(resolvers)) {
      merged[type] ??= {};
      for (const [field, resolver] of Object.entries(fields)) {
        if (merged[type][field]) throw new Error(`Subgraph ${subgraph}: ${type}.${field} has two resolvers.`);
        merged[type][field] = resolver;
      }
    }
  }
  return merged;
}
