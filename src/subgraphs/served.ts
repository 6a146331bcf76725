import type { Subgraph } from './subgraph.ts';

export type Served = {
  subgraphs: Subgraph[];
  isWhole: boolean;
  /** The entities of the subgraphs that are left out. */
  elsewhere: ReadonlySet<string>;
};

/** The subgraphs that the setting SUBGRAPHS names, all when it is not set; throws when a name is not known. */
export function servedSubgraphs(all: Subgraph[], names: readonly string[] | null): Served {
  const known = all.map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`SUBGRAPHS names ${unknown}, which is no subgraph; there are ${known.join(', ')}.`);
  }
  const subgraphs = all.filter(({ name }) => names?.includes(name) ?? true);
  const entities = all
    .filter((subgraph) => !subgraphs.includes(subgraph))
    .flatMap(({ resources }) => resources.flatMap(({ references = {} }) => Object.keys(references)));
  return { subgraphs, isWhole: subgraphs.length === all.length, elsewhere: new Set(entities) };
}
