import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type SourceFile = {
  /** From the root of the checkout, e.g. `src/lib/ids.ts`. */
  path: string;
  text: string;
  /** The project's own files that it imports, types included. */
  imports: string[];
  /** Those of them that are loaded when the file runs. */
  valueImports: string[];
};

const importSpecifier = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;
const typeImport = /^(?:import|export) type [^;]*;|typeof import\([^)]*\)/gm;

/** Every TypeScript file below a folder of the checkout. */
export const sourceFiles = (folder: string): SourceFile[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(join(root, path), 'utf8');
      const importsOf = (source: string) =>
        [...source.matchAll(importSpecifier)].map(([, specifier = '']) => join(dirname(path), specifier));
      return {
        path,
        text,
        imports: importsOf(text),
        valueImports: importsOf(text.replace(typeImport, '')),
      };
    });
