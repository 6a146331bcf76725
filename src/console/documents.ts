import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '../errors/index.ts';
import { readTrustedDocuments, type TrustedDocuments } from '../graph/index.ts';

/** The file in the folder of the built console that lists its documents by the SHA-256 of their texts. */
const MANIFEST = 'documents.json';

/**
 * The documents of the built console: nothing else runs at its graph. They are read when a page first asks, and again until
 * there are any, because the console may be built while the gateway runs.
 */
export function createConsoleDocuments(directory: string): TrustedDocuments {
  let documents: TrustedDocuments | null = null;
  return {
    textOf(request) {
      documents ??= read(join(directory, MANIFEST));
      return documents.textOf(request);
    },
  };
}

function read(path: string): TrustedDocuments {
  try {
    return readTrustedDocuments(readFileSync(path, 'utf8'));
  } catch (cause) {
    const message = 'The console is not built: `npm run console:build`, where Sluice runs, builds it.';
    throw new GatewayError('DOCUMENT_NOT_TRUSTED', { message, cause });
  }
}
