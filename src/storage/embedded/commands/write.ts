import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { checkFields, type FieldTable, fieldTable } from '../fields.ts';
import type { DocumentQuery } from '../plan/document-query.ts';
import { checkNamespace } from '../store/catalogue.ts';
import { compileUpdate } from '../update/compile.ts';
import { asNumber, type Document } from '../value/types.ts';
import { nothing, type Result, type Runner, runBatch, type StatementOutcome, writeReply } from './batch.ts';
import {
  bypassValidation,
  type Command,
  checkBatch,
  collectionName,
  commandFields,
  documentField,
  documentsField,
  flagField,
  letVariables,
  parseSelection,
  type Request,
} from './command.ts';
import { changeRunner, type StatementChange } from './locate.ts';

/** An insert as the batch wants it; the bytes are stored as they came. */
export function insertRunner({ store, database, body }: Request, name: string, document: Buffer): Runner {
  const now = (): StatementOutcome => {
    store.documents.insert(store.obtain(database, name), document, flagField(body, bypassValidation));
    return { ...nothing, n: 1 };
  };
  return { now, slowly: () => store.writes.run(now) };
}

/** Removes the matches. */
export function removing({ store }: Request): StatementChange {
  return (collection, matches) => {
    if (collection) for (const { record, body } of matches) store.documents.remove(collection, record, body);
    return { ...nothing, n: matches.length };
  };
}

/** Changes the matches as `{ u, c, multi, upsert, arrayFilters }` says, or inserts when there are none. */
export function updating(
  { store, database, body }: Request,
  name: string,
  { filter, collation, variables }: DocumentQuery,
  statement: Document,
): StatementChange {
  const update = compileUpdate(statement.u, {
    filter,
    multi: flagField(statement, 'multi'),
    arrayFilters: statement.arrayFilters,
    fold: collation?.fold,
    variables: { ...variables, ...documentField(statement, 'c') },
  });
  const upsert = flagField(statement, 'upsert');
  const bypass = flagField(body, bypassValidation);
  return (collection, matches) => {
    if (matches.length === 0 && upsert) {
      const value = update.insert();
      store.documents.insert(store.obtain(database, name), encode(value), bypass);
      return { n: 1, modified: 0, upserted: value._id, value };
    }
    let modified = 0;
    for (const { record, body: before } of collection ? matches : []) {
      const after = encode(update.apply(decode(before)));
      if (collection && store.documents.replace(collection, record, before, after, bypass)) modified += 1;
    }
    return { ...nothing, n: matches.length, modified };
  };
}

const updateFields = fieldTable(
  'q:object! u! c:object multi:bool upsert:bool collation:object arrayFilters:array hint sort:object upsertSupplied:bool',
);
const deleteFields = fieldTable('q:object! limit! collation:object hint');

/** A statement of a write command, in the words of that command, as the batch wants it. */
export type Prepare = (request: Request, name: string, statement: Document, variables?: Document) => Runner;

export const updateRunner: Prepare = (request, name, statement, variables) => {
  const multi = flagField(statement, 'multi');
  if (multi && statement.sort !== undefined) throw failedToParse('Cannot specify sort with multi=true');
  const selection = { ...parseSelection(statement, 'q', variables), limit: multi ? 0 : 1 };
  return changeRunner(request, name, selection, updating(request, name, selection, statement));
};

export const deleteRunner: Prepare = (request, name, statement, variables) => {
  const limit = asNumber(statement.limit);
  if (limit !== 0 && limit !== 1)
    throw new CommandError(9, 'The limit field in delete objects must be 0 or 1');
  return changeRunner(request, name, parseSelection(statement, 'q', variables), removing(request));
};

/** Runs all statements of a command. */
function runStatements(
  request: Request,
  field: string,
  fields: FieldTable,
  prepare: Prepare,
): Promise<Result[]> {
  const name = collectionName(request);
  const variables = letVariables(request.body);
  const list = checkBatch(documentsField(request, field));
  for (const statement of list) checkFields(`${request.name}.${field}`, statement, fields);
  return runBatch(request, list.length, (i) => prepare(request, name, list[i] as Document, variables));
}

async function insert(request: Request): Promise<Document> {
  const { database, message } = request;
  const name = collectionName(request);
  checkNamespace(database, name);
  const documents = checkBatch(
    message.sequences.get('documents') ?? documentsField(request, 'documents').map(encode),
  );
  return writeReply(
    await runBatch(request, documents.length, (i) => insertRunner(request, name, documents[i] as Buffer)),
  );
}

async function update(request: Request): Promise<Document> {
  const results = await runStatements(request, 'updates', updateFields, updateRunner);
  const upserted = results.flatMap(({ outcome }, index) =>
    outcome.upserted === undefined ? [] : [{ index, _id: outcome.upserted }],
  );
  const nModified = results.reduce((sum, { outcome }) => sum + outcome.modified, 0);
  return { nModified, ...(upserted.length > 0 ? { upserted } : {}), ...writeReply(results) };
}

async function remove(request: Request): Promise<Document> {
  return writeReply(await runStatements(request, 'deletes', deleteFields, deleteRunner));
}

export const writeCommands: Record<string, Command> = {
  insert: {
    fields: commandFields('insert', `documents:array ordered:bool ${bypassValidation}:flag`),
    run: insert,
  },
  update: {
    fields: commandFields('update', `updates:array ordered:bool let:object ${bypassValidation}:flag`),
    run: update,
  },
  delete: { fields: commandFields('delete', 'deletes:array ordered:bool let:object'), run: remove },
};
