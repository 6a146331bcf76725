import { encode } from '../bson/encode.ts';
import { asCommandError, CommandError } from '../errors.ts';
import { checkNamespace } from '../store/catalogue.ts';
import type { Document } from '../value/types.ts';
import { type Runner, runBatch } from './batch.ts';
import {
  bypassValidation,
  type Command,
  collectionName,
  flagField,
  type Request,
  statements,
} from './command.ts';

/** What drivers expect for each statement of a write command that failed. */
export function writeError(index: number, error: unknown): Document {
  const { code, message, detail } = asCommandError(error);
  return { index, code, errmsg: message, ...detail };
}

/** An insert as the batch wants it; the bytes are stored as they came. */
export function insertRunner(
  { store, database, body }: Request,
  name: string,
  document: Buffer,
): Runner<number> {
  const now = (): number => {
    store.documents.insert(store.obtain(database, name), document, flagField(body, bypassValidation));
    return 1;
  };
  return { now, slowly: () => store.writes.run(now) };
}

async function insert(request: Request): Promise<Document> {
  const { store, database, body, message } = request;
  const name = collectionName(request);
  checkNamespace(database, name);
  const documents = message.sequences.get('documents') ?? statements(request, 'documents').map(encode);
  if (documents.length === 0)
    throw new CommandError(9, 'Write batch sizes must be between 1 and 100000. Got 0 operations.');
  const results = await runBatch(store, documents.length, body.ordered !== false, (index) =>
    insertRunner(request, name, documents[index] as Buffer),
  );
  const errors = results.flatMap(({ index, error }) => (error ? [writeError(index, error)] : []));
  const inserted = results.length - errors.length;
  return { n: inserted, ...(errors.length > 0 ? { writeErrors: errors } : {}), ok: 1 };
}

export const insertCommand: Command = {
  fields: ['documents', 'ordered', bypassValidation],
  run: insert,
};
