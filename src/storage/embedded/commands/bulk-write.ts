import { encode } from '../bson/encode.ts';
import { asCommandError, badValue, CommandError } from '../errors.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';
import { type BatchResult, type Runner, runBatch } from './batch.ts';
import { bypassValidation, type Command, letVariables, type Request, statements } from './command.ts';
import { deleteRunner } from './delete.ts';
import { insertRunner } from './insert.ts';
import { tooLong } from './locate.ts';
import { parseSelection, parseUpdate, type UpdateOutcome, updateRunner } from './update.ts';

/** What a statement of any kind did. */
type Outcome =
  | { kind: 'insert'; n: number }
  | { kind: 'delete'; n: number }
  | (UpdateOutcome & { kind: 'update' });

type Target = { database: string; name: string };

function namespaces(request: Request): Target[] {
  return statements(request, 'nsInfo').map(({ ns }) => {
    const [database = '', ...rest] = String(ns).split('.');
    return { database, name: rest.join('.') };
  });
}

const named = <Result, Named>(runner: Runner<Result>, name: (result: Result) => Named): Runner<Named> => ({
  now() {
    const outcome = runner.now();
    return outcome === tooLong ? tooLong : name(outcome as Result);
  },
  slowly: async () => name(await runner.slowly()),
});

function prepare(
  request: Request,
  targets: Target[],
  operation: Document,
  variables: Document | undefined,
): Runner<Outcome> {
  const [kind = ''] = Object.keys(operation);
  const target = targets[asNumber(operation[kind]) ?? -1];
  if (!target) throw badValue(`BulkWrite ops entry has an invalid nsInfo index: ${String(operation[kind])}`);
  const at = { ...request, database: target.database };
  const {
    insert,
    update,
    delete: remove,
    document,
    filter,
    updateMods,
    multi,
    constants,
    ...options
  } = operation;
  if (kind === 'insert') {
    if (!isDocument(document)) throw badValue('an insert needs a document');
    return named(insertRunner(at, target.name, encode(document)), (n) => ({ kind: 'insert', n }));
  }
  if (kind === 'update') {
    const statement: Document = { q: filter, u: updateMods, multi: multi === true, ...options };
    if (constants !== undefined) statement.c = constants;
    return named(updateRunner(at, target.name, parseUpdate(statement, variables)), (outcome) => ({
      kind: 'update',
      ...outcome,
    }));
  }
  if (kind !== 'delete') throw badValue(`BulkWrite ops entry has an unknown operation: ${kind}`);
  const selection = parseSelection(isDocument(filter) ? filter : {}, options, variables);
  const limited = multi === true ? selection : { ...selection, limit: 1 };
  return named(deleteRunner(at, target.name, limited), (n) => ({ kind: 'delete', n }));
}

function describe({ index, outcome, error }: BatchResult<Outcome>): Document {
  if (error) {
    const { code, message, detail } = asCommandError(error);
    return { ok: 0, idx: index, code, errmsg: message, ...detail, n: 0 };
  }
  if (outcome.kind !== 'update') return { ok: 1, idx: index, n: outcome.n };
  const { matched, modified, upserted } = outcome;
  const isUpsert = upserted !== undefined;
  return {
    ok: 1,
    idx: index,
    n: matched + (isUpsert ? 1 : 0),
    nModified: modified,
    ...(isUpsert ? { upserted: { _id: upserted } } : {}),
  };
}

/** The command behind MongoClient.bulkWrite: statements of all kinds on several collections. */
async function bulkWrite(request: Request): Promise<Document> {
  const { store, body, database } = request;
  if (database !== 'admin')
    throw new CommandError(13, 'bulkWrite may only be run against the admin database.');
  const targets = namespaces(request);
  const operations = statements(request, 'ops');
  const variables = letVariables(body);
  const results = await runBatch(store, operations.length, body.ordered !== false, (index) =>
    prepare(request, targets, operations[index] as Document, variables),
  );
  const total = { nErrors: 0, nInserted: 0, nUpserted: 0, nMatched: 0, nModified: 0, nDeleted: 0 };
  for (const { outcome, error } of results) {
    if (error) total.nErrors += 1;
    else if (outcome.kind === 'insert') total.nInserted += outcome.n;
    else if (outcome.kind === 'delete') total.nDeleted += outcome.n;
    else {
      total.nMatched += outcome.matched;
      total.nModified += outcome.modified;
      if (outcome.upserted !== undefined) total.nUpserted += 1;
    }
  }
  const shown = body.errorsOnly === true ? results.filter(({ error }) => error) : results;
  return { cursor: { firstBatch: shown.map(describe), id: 0n, ns: 'admin.$cmd.bulkWrite' }, ...total, ok: 1 };
}

export const bulkWriteCommand: Command = {
  fields: ['ops', 'nsInfo', 'ordered', 'errorsOnly', bypassValidation, 'let', 'cursor'],
  run: bulkWrite,
};
