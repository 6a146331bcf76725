import { print } from 'graphql';
import { compose, type SubgraphDocument, type Supergraph } from './compose.ts';
import type { SubgraphSource } from './sources.ts';
import { subgraphDocument } from './subgraph-document.ts';

type Sources = readonly Pick<SubgraphSource, 'name' | 'files'>[];

/** Subgraphs as documents, and what they make together. `sdl`: the public document as text. */
type Composed = Supergraph & { documents: readonly SubgraphDocument[]; sdl: string };

/** The latest one of this process: gateways in one process have the same subgraphs, and to compose takes the longest of a start. */
let latest: { sources: Sources; composed: Composed } | undefined;

/** Reads and composes the built-in subgraphs; throws, saying what is wrong, when they do not make one graph. */
export function composed(sources: Sources): Composed {
  if (latest && isSame(latest.sources, sources)) return latest.composed;
  const documents = sources.map(({ name, files }) => ({ name, document: subgraphDocument(files) }));
  const supergraph = compose(documents);
  latest = {
    sources: sources.map(({ name, files }) => ({ name, files: [...files] })),
    composed: { ...supergraph, documents, sdl: `${print(supergraph.publicDocument)}\n` },
  };
  return latest.composed;
}

const isSame = (one: Sources, other: Sources): boolean =>
  one.length === other.length &&
  one.every(({ name, files }, at) => {
    const theirs = other[at];
    return (
      name === theirs?.name &&
      files.length === theirs.files.length &&
      files.every(({ path, text }, of) => path === theirs.files[of]?.path && text === theirs.files[of]?.text)
    );
  });
