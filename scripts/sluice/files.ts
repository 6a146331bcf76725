import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Document, isAlias, parseAllDocuments, stringify, visit } from 'yaml';

/** The documents of some files, in their order; `-` is standard input. */
export async function readDocuments(files: readonly string[]): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const file of files) {
    const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
    const parsed = parseAllDocuments(content);
    if (!Array.isArray(parsed)) continue;
    for (const [index, document] of parsed.entries()) {
      requireSound(document, `${file}, document ${index + 1}`);
      const value: unknown = document.toJS();
      if (value !== null) all.push(value);
    }
  }
  return all;
}

function requireSound(document: Document.Parsed, place: string): void {
  const [mistake] = document.errors;
  if (mistake) throw new Error(`${place}: ${mistake.message}`);
  visit(document, {
    Alias(_key, alias, path) {
      const target = alias.resolve(document);
      if (path.some((above) => above === target && !isAlias(above)))
        throw new Error(`${place}: *${alias.source} stands in what it means, which is a cycle.`);
    },
  });
}

export const writeDocuments = (documents: readonly unknown[]): string =>
  documents
    .map((document) => `---\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`)
    .join('');
