import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type SourceFile = {
  /** From the root of the checkout, e.g. `src/lib/ids.ts`. */
  path: string;
  text: string;
  /** The project's own files that it imports, types included. */
  imports: string[];
};

const importSpecifier = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** Every TypeScript file below a folder of the checkout. */
export const sourceFiles = (folder: string): SourceFile[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(join(root, path), 'utf8');
      const imports = [...text.matchAll(importSpecifier)].map(([, specifier = '']) =>
        relative(root, join(root, dirname(path), specifier)),
      );
      return { path, text, imports };
    });
