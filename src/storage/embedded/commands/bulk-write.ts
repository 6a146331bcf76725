import { encode } from '../bson/encode.ts';
import { badValue, CommandError } from '../errors.ts';
import { asNumber, type Document, expectDocument } from '../value/types.ts';
import { type Result, type Runner, runBatch } from './batch.ts';
import {
  bypassValidation,
  type Command,
  fieldSet,
  letVariables,
  namespaceOf,
  type Request,
  statements,
} from './command.ts';
import { deleteRunner, insertRunner, updateRunner } from './write.ts';

const kindOf = (operation: Document | undefined): string => Object.keys(operation ?? {})[0] ?? '';

/** One operation in the words of the command of its own kind. */
function prepare(
  request: Request,
  namespaces: Document[],
  operation: Document,
  variables?: Document,
): Runner {
  const kind = kindOf(operation);
  const { [kind]: target, document, filter, updateMods, constants, multi, ...options } = operation;
  const { ns } = namespaces[asNumber(target) ?? -1] ?? {};
  if (ns === undefined) throw badValue(`BulkWrite ops entry has an invalid nsInfo index: ${String(target)}`);
  const { database, name } = namespaceOf(ns);
  const at = { ...request, database };
  switch (kind) {
    case 'insert':
      return insertRunner(at, name, encode(expectDocument(document, 2, 'an insert needs a document')));
    case 'update': {
      const statement = { q: filter, u: updateMods, c: constants, multi, ...options };
      return updateRunner(at, name, statement, variables);
    }
    case 'delete':
      return deleteRunner(at, name, { q: filter, limit: multi === true ? 0 : 1, ...options }, variables);
    default:
      throw badValue(`BulkWrite ops entry has an unknown operation: ${kind}`);
  }
}

function describe(kind: string, { outcome, error }: Result, idx: number): Document {
  if (error) return { ok: 0, idx, code: error.code, errmsg: error.message, ...error.detail, n: 0 };
  const { n, modified, upserted } = outcome;
  if (kind !== 'update') return { ok: 1, idx, n };
  return {
    ok: 1,
    idx,
    n,
    nModified: modified,
    ...(upserted === undefined ? {} : { upserted: { _id: upserted } }),
  };
}

/** The command behind MongoClient.bulkWrite: statements of all kinds on several collections. */
async function bulkWrite(request: Request): Promise<Document> {
  const { body, database } = request;
  if (database !== 'admin')
    throw new CommandError(13, 'bulkWrite may only be run against the admin database.');
  const namespaces = statements(request, 'nsInfo');
  const operations = statements(request, 'ops');
  const variables = letVariables(body);
  const results = await runBatch(request, operations.length, (i) =>
    prepare(request, namespaces, operations[i] as Document, variables),
  );
  const total = { nErrors: 0, nInserted: 0, nUpserted: 0, nMatched: 0, nModified: 0, nDeleted: 0 };
  const firstBatch: Document[] = [];
  for (const [idx, result] of results.entries()) {
    const kind = kindOf(operations[idx]);
    const { n, modified, upserted } = result.outcome;
    if (result.error) total.nErrors += 1;
    else if (kind === 'insert') total.nInserted += n;
    else if (kind === 'delete') total.nDeleted += n;
    else if (upserted !== undefined) total.nUpserted += 1;
    else total.nMatched += n;
    total.nModified += modified;
    if (result.error || body.errorsOnly !== true) firstBatch.push(describe(kind, result, idx));
  }
  return { cursor: { firstBatch, id: 0n, ns: 'admin.$cmd.bulkWrite' }, ...total, ok: 1 };
}

export const bulkWriteCommand: Command = {
  fields: fieldSet(`ops nsInfo ordered errorsOnly let cursor ${bypassValidation}`),
  run: bulkWrite,
};
