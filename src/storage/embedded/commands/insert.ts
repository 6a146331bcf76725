import { encode } from '../bson/encode.ts';
import { asCommandError, CommandError, isFault } from '../errors.ts';
import type { Document } from '../value/types.ts';
import { type Command, collectionName, type Request, statements } from './command.ts';

/** Documents per transaction: enough to make the sync cheap, few enough for others to get in between. */
const batchSize = 1000;

/** What drivers expect for each statement of a write command that failed. */
export function writeError(index: number, error: unknown): Document {
  const { code, message, detail } = asCommandError(error);
  return { index, code, errmsg: message, ...detail };
}

function rawDocuments(request: Request): Buffer[] {
  const documents = request.sequences.get('documents') ?? statements(request, 'documents').map(encode);
  if (documents.length === 0)
    throw new CommandError(9, 'Write batch sizes must be between 1 and 100000. Got 0 operations.');
  return documents;
}

/** Inserts in batches; the bytes are stored as they came. */
async function insert(request: Request): Promise<Document> {
  const { store, database, body } = request;
  const name = collectionName(request);
  const documents = rawDocuments(request);
  const ordered = body.ordered !== false;
  const errors: Document[] = [];
  let inserted = 0;
  for (let start = 0; start < documents.length; start += batchSize) {
    const batch = documents.slice(start, start + batchSize);
    const outcome = await store.writes.run(() => {
      const collection = store.obtain(database, name);
      const failed: Document[] = [];
      let count = 0;
      for (const [i, document] of batch.entries()) {
        try {
          store.documents.insert(collection, document);
          count += 1;
        } catch (error) {
          const known = asCommandError(error);
          // An error of the disk is not an error of this one document; the whole statement must fail with it.
          if (isFault(known)) throw error;
          failed.push(writeError(start + i, known));
          if (ordered) break;
        }
      }
      return { count, failed };
    });
    inserted += outcome.count;
    errors.push(...outcome.failed);
    if (ordered && errors.length > 0) break;
  }
  return { n: inserted, ...(errors.length > 0 ? { writeErrors: errors } : {}), ok: 1 };
}

export const insertCommand: Command = {
  fields: ['documents', 'ordered', 'bypassDocumentValidation'],
  run: insert,
};
