import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

type Chunk = {
  fileName: string;
  imports: readonly string[];
  isEntry: boolean;
  facadeModuleId: string | null;
};

/**
 * Tells `first.js` what a page needs before the scripts are there to ask for it: the hash of the document that says who is
 * signed in, and the scripts of each page.
 */
export const beginEarly = (): Plugin => ({
  name: 'begin-early',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    async handler(html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
      const scripts = JSON.stringify(scriptsOfPages(chunks));
      const attributes = `data-viewer="${await hashOf('Viewer')}" data-scripts='${scripts}'`;
      return html.replace('src="./first.js"', `src="./first.js" ${attributes}`);
    },
  },
});

/** By the path of a page, the scripts that it needs beside those of every page. */
function scriptsOfPages(chunks: readonly Chunk[]): Record<string, string[]> {
  const entry = chunks.find(({ isEntry }) => isEntry);
  const first = withImports(entry?.fileName ?? '', chunks);
  const pages = chunks.flatMap(({ fileName, facadeModuleId }) => {
    const path = /\/src\/pages\/([^/]+)\/page\.tsx$/.exec(facadeModuleId ?? '')?.[1];
    const own = [...withImports(fileName, chunks)].filter((name) => !first.has(name));
    return path === undefined ? [] : [[path, own] as const];
  });
  return Object.fromEntries(pages);
}

/** A script and all that it imports, at whatever depth. */
function withImports(name: string, chunks: readonly Chunk[], found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const imports = chunks.find(({ fileName }) => fileName === name)?.imports ?? [];
  for (const imported of imports) withImports(imported, chunks, found);
  return found;
}

async function hashOf(query: string): Promise<string> {
  const documents: Record<string, string> = JSON.parse(
    await readFile(join(import.meta.dirname, '../documents.json'), 'utf8'),
  );
  const found = Object.entries(documents).find(([, text]) => text.startsWith(`query ${query} `));
  if (!found) throw new Error(`console/documents.json has no query ${query}.`);
  return found[0];
}
