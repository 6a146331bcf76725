import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { parseCollation } from '../query/collation.ts';
import type { Match } from '../query/match-stream.ts';
import type { Selection } from '../query/select.ts';
import { parseSort } from '../query/sort.ts';
import type { Collection } from '../store/collection.ts';
import { compileUpdate, type Update } from '../update/compile.ts';
import type { Document } from '../value/types.ts';
import { type Runner, runBatch } from './batch.ts';
import {
  bypassValidation,
  type Command,
  collectionName,
  documentField,
  flagField,
  letVariables,
  type Request,
  statements,
} from './command.ts';
import { writeError } from './insert.ts';
import { type Change, changeSlowly, locateNow, tooLong } from './locate.ts';

/** One statement of an update command, ready to run. */
export type UpdateStatement = { selection: Selection; update: Update; multi: boolean; upsert: boolean };

export type UpdateOutcome = { matched: number; modified: number; upserted: unknown };

const known = new Set([
  'q',
  'u',
  'c',
  'multi',
  'upsert',
  'collation',
  'arrayFilters',
  'hint',
  'sort',
  'upsertSupplied',
]);

/** What every statement with a filter has in common. */
export function parseSelection(
  filter: Document,
  options: Document,
  commandLet: Document | undefined,
): Selection {
  const { hint } = options;
  return {
    filter,
    sort: parseSort(options.sort),
    collation: parseCollation(options.collation),
    ...(hint === undefined ? {} : { hint }),
    ...(commandLet ? { variables: commandLet } : {}),
  };
}

export function parseUpdate(statement: Document, commandLet: Document | undefined): UpdateStatement {
  for (const field of Object.keys(statement)) {
    if (!known.has(field))
      throw new CommandError(40415, `BSON field 'update.updates.${field}' is an unknown field.`);
  }
  const filter = documentField(statement, 'q') ?? {};
  const multi = statement.multi === true;
  if (multi && statement.sort !== undefined) throw failedToParse('Cannot specify sort with multi=true');
  const selection = { ...parseSelection(filter, statement, commandLet), ...(multi ? {} : { limit: 1 }) };
  const constants = documentField(statement, 'c');
  const variables = constants || commandLet ? { ...commandLet, ...constants } : undefined;
  const update = compileUpdate(statement.u, {
    filter,
    multi,
    arrayFilters: statement.arrayFilters,
    ...(selection.collation ? { fold: selection.collation.fold } : {}),
    ...(variables ? { variables } : {}),
  });
  return { selection, update, multi, upsert: statement.upsert === true };
}

/** Writes the new version of a document; true when it differs from the old one. */
export function rewrite(request: Request, collection: Collection, match: Match, update: Update): boolean {
  const after = encode(update.apply(decode(match.body)));
  const bypass = flagField(request.body, bypassValidation);
  return request.store.documents.replace(collection, match.record, match.body, after, bypass);
}

/** Changes the matches of a statement, or inserts the document of an upsert that has none; inside a transaction. */
function changeMatches(request: Request, name: string, statement: UpdateStatement): Change<UpdateOutcome> {
  const { store, database } = request;
  return (collection, matches) => {
    if (matches.length === 0 && statement.upsert) {
      const document = statement.update.insert();
      const bypass = flagField(request.body, bypassValidation);
      store.documents.insert(store.obtain(database, name), encode(document), bypass);
      return { matched: 0, modified: 0, upserted: document._id };
    }
    const modified = collection
      ? matches.filter((match) => rewrite(request, collection, match, statement.update)).length
      : 0;
    return { matched: matches.length, modified, upserted: undefined };
  };
}

/** A statement as the batch wants it. */
export function updateRunner(
  request: Request,
  name: string,
  statement: UpdateStatement,
): Runner<UpdateOutcome> {
  const { store, database } = request;
  const change = changeMatches(request, name, statement);
  return {
    now() {
      const collection = store.catalogue.find(database, name);
      const matches = collection ? locateNow(store, collection, statement.selection) : [];
      return matches === tooLong ? tooLong : change(collection, matches);
    },
    async slowly() {
      const outcomes = await changeSlowly(request, name, statement.selection, change);
      return outcomes.reduce((sum, { matched, modified, upserted }) => ({
        matched: sum.matched + matched,
        modified: sum.modified + modified,
        upserted: sum.upserted ?? upserted,
      }));
    },
  };
}

async function update(request: Request): Promise<Document> {
  const { store, body } = request;
  const name = collectionName(request);
  const commandLet = letVariables(body);
  const list = statements(request, 'updates');
  const results = await runBatch(store, list.length, body.ordered !== false, (index) =>
    updateRunner(request, name, parseUpdate(list[index] as Document, commandLet)),
  );
  const errors: Document[] = [];
  const upserted: Document[] = [];
  let matched = 0;
  let modified = 0;
  for (const { index, outcome, error } of results) {
    if (error) errors.push(writeError(index, error));
    else {
      matched += outcome.matched + (outcome.upserted === undefined ? 0 : 1);
      modified += outcome.modified;
      if (outcome.upserted !== undefined) upserted.push({ index, _id: outcome.upserted });
    }
  }
  return {
    n: matched,
    nModified: modified,
    ...(upserted.length > 0 ? { upserted } : {}),
    ...(errors.length > 0 ? { writeErrors: errors } : {}),
    ok: 1,
  };
}

export const updateCommand: Command = {
  fields: ['updates', 'ordered', bypassValidation, 'let'],
  run: update,
};
