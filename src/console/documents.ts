import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '../errors/index.ts';
import { readTrustedDocuments, type TrustedDocuments } from '../graph/index.ts';
import { markOf } from './static/mark.ts';

/** The file in the folder of the built console that lists its documents by the SHA-256 of their texts. */
const MANIFEST = 'documents.json';

type Known = { mark: string; documents: TrustedDocuments };

/**
 * The documents of the built console: nothing else runs at its graph. They are read when a page first asks, and again when a page
 * names one that is unknown while another build has taken the place of the one before: the console may be built while the gateway runs.
 */
export function createConsoleDocuments(directory: string): TrustedDocuments {
  const path = join(directory, MANIFEST);
  let known: Known | null = null;
  return {
    textOf(request) {
      known ??= read(path);
      try {
        return known.documents.textOf(request);
      } catch (error) {
        const file = statSync(path, { throwIfNoEntry: false });
        if (!file || markOf(file) === known.mark) throw error;
        known = read(path);
        return known.documents.textOf(request);
      }
    },
  };
}

function read(path: string): Known {
  try {
    // Of a file that is replaced in between, the older mark has the newer text read once more.
    const mark = markOf(statSync(path));
    return { mark, documents: readTrustedDocuments(readFileSync(path, 'utf8')) };
  } catch (cause) {
    const message = 'The console is not built: `npm run console:build`, where Sluice runs, builds it.';
    throw new GatewayError('DOCUMENT_NOT_TRUSTED', { message, cause });
  }
}
