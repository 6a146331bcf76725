import { print } from 'graphql';
import { compose, type SubgraphDocument, type Supergraph } from './compose.ts';
import type { SubgraphSource } from './sources.ts';
import { subgraphDocument } from './subgraph-document.ts';

type Sources = readonly Pick<SubgraphSource, 'name' | 'files'>[];

/** Subgraphs as documents, and what they make together. `sdl`: the public document as text. */
type Composed = Supergraph & { documents: readonly SubgraphDocument[]; sdl: string };

/** Reads and composes the built-in subgraphs; throws, saying what is wrong, when they do not make one graph. */
export function composed(sources: Sources): Composed {
  const documents = sources.map(({ name, files }) => ({ name, document: subgraphDocument(files) }));
  const supergraph = compose(documents);
  return { ...supergraph, documents, sdl: `${print(supergraph.publicDocument)}\n` };
}
