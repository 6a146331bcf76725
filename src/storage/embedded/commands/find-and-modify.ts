import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { failedToParse } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import type { Match } from '../query/match-stream.ts';
import { compileProjection } from '../query/projection.ts';
import type { Selection } from '../query/select.ts';
import type { Collection } from '../store/collection.ts';
import { compileUpdate, type Update } from '../update/compile.ts';
import type { Document } from '../value/types.ts';
import {
  bypassValidation,
  type Command,
  collectionName,
  documentField,
  flagField,
  letVariables,
  type Request,
} from './command.ts';
import { type Change, changeSlowly, locateNow, tooLong } from './locate.ts';
import { parseSelection, rewrite } from './update.ts';

/** What happened, and the document to hand back. */
type Outcome = { n: number; value: Document | null; updatedExisting?: boolean; upserted?: unknown };

type Plan = { selection: Selection; update: Update | null; upsert: boolean; returnNew: boolean };

function parse(body: Document): Plan {
  const filter = documentField(body, 'query') ?? {};
  const remove = flagField(body, 'remove');
  const upsert = flagField(body, 'upsert');
  const returnNew = flagField(body, 'new');
  if (remove && body.update !== undefined)
    throw failedToParse('Cannot specify both an update and remove=true');
  if (remove && upsert) throw failedToParse('Cannot specify both upsert=true and remove=true');
  if (remove && returnNew)
    throw failedToParse(
      "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
    );
  if (!remove && body.update === undefined)
    throw failedToParse('Either an update or remove=true must be specified');
  const variables = letVariables(body);
  const selection: Selection = { ...parseSelection(filter, body, variables), limit: 1 };
  const update = remove
    ? null
    : compileUpdate(body.update, {
        filter,
        multi: false,
        arrayFilters: body.arrayFilters,
        ...(selection.collation ? { fold: selection.collation.fold } : {}),
        ...(variables ? { variables } : {}),
      });
  return { selection, update, upsert, returnNew };
}

/** Changes or removes the one match, inside a transaction. */
function apply(request: Request, collection: Collection, match: Match, { update, returnNew }: Plan): Outcome {
  const { store } = request;
  const before = decode(match.body);
  if (!update) {
    store.documents.remove(collection, match.record, match.body);
    return { n: 1, value: before };
  }
  rewrite(request, collection, match, update);
  const stored = returnNew ? store.documents.read(collection, match.record) : null;
  return { n: 1, value: stored ? decode(stored) : before, updatedExisting: true };
}

function nothingFound(request: Request, name: string, { update, upsert, returnNew }: Plan): Outcome {
  if (!update) return { n: 0, value: null };
  if (!upsert) return { n: 0, value: null, updatedExisting: false };
  const document = update.insert();
  const collection = request.store.obtain(request.database, name);
  request.store.documents.insert(collection, encode(document), flagField(request.body, bypassValidation));
  return { n: 1, value: returnNew ? document : null, updatedExisting: false, upserted: document._id };
}

async function run(request: Request, name: string, plan: Plan): Promise<Outcome> {
  const { store, database } = request;
  const change: Change<Outcome> = (collection, [match]) =>
    collection && match ? apply(request, collection, match, plan) : nothingFound(request, name, plan);
  const outcome = await store.writes.run(() => {
    const collection = store.catalogue.find(database, name);
    const matches = collection ? locateNow(store, collection, plan.selection) : [];
    return matches === tooLong ? tooLong : change(collection, matches);
  });
  if (outcome !== tooLong) return outcome;
  const [slow] = await changeSlowly(request, name, plan.selection, change);
  return slow as Outcome;
}

async function findAndModify(request: Request): Promise<Document> {
  const { body } = request;
  const plan = parse(body);
  const { value, n, updatedExisting, upserted } = await run(request, collectionName(request), plan);
  const fields = documentField(body, 'fields') ?? documentField(body, 'projection');
  const project =
    fields && Object.keys(fields).length > 0
      ? compileProjection(fields, { find: true, filter: compileFilter(plan.selection.filter) })
      : null;
  return {
    lastErrorObject: {
      n,
      ...(updatedExisting === undefined ? {} : { updatedExisting }),
      ...(upserted === undefined ? {} : { upserted }),
    },
    value: value && project ? project(value) : value,
    ok: 1,
  };
}

const command: Command = {
  fields: [
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'projection',
    'upsert',
    'arrayFilters',
    'hint',
    'collation',
    'let',
    bypassValidation,
  ],
  run: findAndModify,
};

export const findAndModifyCommands: Record<string, Command> = {
  findAndModify: command,
  findandmodify: command,
};
