import { CommandError } from '../errors.ts';
import type { Selection } from '../query/select.ts';
import { asNumber, type Document } from '../value/types.ts';
import { type Runner, runBatch } from './batch.ts';
import {
  type Command,
  collectionName,
  documentField,
  letVariables,
  type Request,
  statements,
} from './command.ts';
import { writeError } from './insert.ts';
import { type Change, changeSlowly, locateNow, tooLong } from './locate.ts';
import { parseSelection } from './update.ts';

const known = new Set(['q', 'limit', 'collation', 'hint']);

function parseDelete(statement: Document, commandLet: Document | undefined): Selection {
  for (const field of Object.keys(statement)) {
    if (!known.has(field))
      throw new CommandError(40415, `BSON field 'delete.deletes.${field}' is an unknown field.`);
  }
  const limit = asNumber(statement.limit);
  if (limit !== 0 && limit !== 1) {
    throw new CommandError(
      9,
      `The limit field in delete objects must be 0 or 1. Got ${String(statement.limit)}`,
    );
  }
  const selection = parseSelection(documentField(statement, 'q') ?? {}, statement, commandLet);
  return limit === 1 ? { ...selection, limit } : selection;
}

/** A statement as the batch wants it; the outcome is the number of documents removed. */
export function deleteRunner(request: Request, name: string, selection: Selection): Runner<number> {
  const { store, database } = request;
  const remove: Change<number> = (collection, matches) => {
    if (collection) for (const { record, body } of matches) store.documents.remove(collection, record, body);
    return matches.length;
  };
  return {
    now() {
      const collection = store.catalogue.find(database, name);
      const matches = collection ? locateNow(store, collection, selection) : [];
      return matches === tooLong ? tooLong : remove(collection, matches);
    },
    async slowly() {
      const removed = await changeSlowly(request, name, selection, remove);
      return removed.reduce((sum, count) => sum + count, 0);
    },
  };
}

async function deleteDocuments(request: Request): Promise<Document> {
  const { store, body } = request;
  const name = collectionName(request);
  const commandLet = letVariables(body);
  const list = statements(request, 'deletes');
  const results = await runBatch(store, list.length, body.ordered !== false, (index) =>
    deleteRunner(request, name, parseDelete(list[index] as Document, commandLet)),
  );
  const errors = results.flatMap(({ index, error }) => (error ? [writeError(index, error)] : []));
  const removed = results.reduce((sum, { outcome }) => sum + (outcome ?? 0), 0);
  return { n: removed, ...(errors.length > 0 ? { writeErrors: errors } : {}), ok: 1 };
}

export const deleteCommand: Command = { fields: ['deletes', 'ordered', 'let'], run: deleteDocuments };
