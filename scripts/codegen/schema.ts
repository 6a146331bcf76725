import { readdirSync, readFileSync } from 'node:fs';
import type { DocumentNode } from 'graphql';
import { compose, type SubgraphDocument } from '../../src/graph/composition/compose.ts';
import { subgraphDocument } from '../../src/graph/composition/subgraph-document.ts';

const root = new URL('../../', import.meta.url);

/** Every folder under schema/ as a subgraph, also one whose resources have no code yet: types come before code. */
export function subgraphDocuments(): SubgraphDocument[] {
  const folders = readdirSync(new URL('schema/', root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return folders.flatMap((name) => {
    const files = readdirSync(new URL(`schema/${name}/`, root)).filter((file) => file.endsWith('.graphql'));
    const sdl = files.sort().map((file) => ({
      path: `schema/${name}/${file}`,
      text: readFileSync(new URL(`schema/${name}/${file}`, root), 'utf8'),
    }));
    return sdl.length > 0 ? [{ name, document: subgraphDocument(sdl) }] : [];
  });
}

/** The public schema of all of them. */
export const publicDocument = (): DocumentNode => compose(subgraphDocuments()).publicDocument;
