import { readdirSync, readFileSync } from 'node:fs';
import { buildASTSchema, type DocumentNode } from 'graphql';
import { readConsoleDocuments } from './operations.ts';
import { typedDocuments } from './typed.ts';

const root = new URL('../../../', import.meta.url);
const sources = 'console/src/';

/** A file to write, by its path in the repository. */
type Generated = { path: string; text: string };

/**
 * What the console's `documents.graphql` become: a `documents.ts` beside each, and `console/documents.json`, the manifest of
 * all that `/console/graphql` runs, which the build takes into `console/dist`.
 */
export async function consoleDocuments(schema: DocumentNode): Promise<Generated[]> {
  const paths = readdirSync(new URL(sources, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|\/)documents\.graphql$/.test(path))
    .sort();
  const documents = readConsoleDocuments(
    buildASTSchema(schema),
    paths.map((path) => ({
      path: sources + path,
      text: readFileSync(new URL(sources + path, root), 'utf8'),
    })),
  );
  const typed = documents.map(async (document) => {
    const path = document.path.replace(/\.graphql$/, '.ts');
    return { path, text: await typedDocuments(schema, document, path) };
  });
  const manifest = documents.flatMap(({ operations }) => operations.map(({ hash, text }) => [hash, text]));
  return [
    ...(await Promise.all(typed)),
    {
      path: 'console/documents.json',
      text: `${JSON.stringify(Object.fromEntries(manifest), null, 2)}\n`,
    },
  ];
}
