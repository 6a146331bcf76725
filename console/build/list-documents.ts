import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Puts the list of documents that `npm run codegen` writes into the build: the gateway runs these alone for a page. */
export const listDocuments = (): Plugin => ({
  name: 'list-documents',
  apply: 'build',
  async generateBundle() {
    const source = await readFile(join(import.meta.dirname, '../documents.json'), 'utf8');
    this.emitFile({ type: 'asset', fileName: 'documents.json', source });
  },
});
