import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { badValue, CommandError } from '../errors.ts';
import { checkFields, type FieldTable, fieldTable } from '../fields.ts';
import { asNumber, type Document, expectDocument } from '../value/types.ts';
import { errorDescriber, type Runner, runBatch, type StatementOutcome } from './batch.ts';
import {
  bypassValidation,
  type Command,
  checkBatch,
  commandFields,
  documentsField,
  letVariables,
  namespaceOf,
  type Request,
} from './command.ts';
import { cursorBatchSize, firstBatch, inOneChunk } from './cursor.ts';
import { deleteRunner, insertRunner, updateRunner } from './write.ts';

const kindOf = (operation: Document | undefined): string => Object.keys(operation ?? {})[0] ?? '';

const operationFields = new Map<string, FieldTable>([
  ['insert', fieldTable('insert:number document:object!')],
  [
    'update',
    fieldTable(
      'update:number filter:object! updateMods! constants:object multi:bool upsert:bool collation:object arrayFilters:array hint sort:object upsertSupplied:bool',
    ),
  ],
  ['delete', fieldTable('delete:number filter:object! multi:bool collation:object hint')],
]);
const namespaceFields = fieldTable('ns:string!');

function checkOperation(operation: Document): void {
  const kind = kindOf(operation);
  const fields = operationFields.get(kind);
  if (!fields) throw badValue(`BulkWrite ops entry has an unknown operation: ${kind}`);
  checkFields(`bulkWrite.ops.${kind}`, operation, fields);
}

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
    default:
      return deleteRunner(at, name, { q: filter, limit: multi === true ? 0 : 1, ...options }, variables);
  }
}

function describe(kind: string, { n, modified, upserted }: StatementOutcome, idx: number): Document {
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
  const namespaces = documentsField(request, 'nsInfo');
  for (const namespace of namespaces) checkFields('bulkWrite.nsInfo', namespace, namespaceFields);
  const operations = checkBatch(documentsField(request, 'ops'));
  for (const operation of operations) checkOperation(operation);
  const batchSize = cursorBatchSize(request);
  const variables = letVariables(body);
  const results = await runBatch(request, operations.length, (i) =>
    prepare(request, namespaces, operations[i] as Document, variables),
  );
  const total = { nErrors: 0, nInserted: 0, nUpserted: 0, nMatched: 0, nModified: 0, nDeleted: 0 };
  const replies: Document[] = [];
  const describeError = errorDescriber();
  for (const [idx, result] of results.entries()) {
    const kind = kindOf(operations[idx]);
    const { n, modified, upserted } = result.outcome;
    if (result.error) total.nErrors += 1;
    else if (kind === 'insert') total.nInserted += n;
    else if (kind === 'delete') total.nDeleted += n;
    else if (upserted !== undefined) total.nUpserted += 1;
    else total.nMatched += n;
    total.nModified += modified;
    if (result.error) replies.push({ ok: 0, idx, ...describeError(result.error), n: 0 });
    else if (body.errorsOnly !== true) replies.push(describe(kind, result.outcome, idx));
  }
  const ns = 'admin.$cmd.bulkWrite';
  const { batch, id } = await firstBatch(request, ns, inOneChunk(replies), batchSize ?? null);
  return { cursor: { firstBatch: batch.map((reply) => decode(reply)), id, ns }, ...total, ok: 1 };
}

export const bulkWriteCommand: Command = {
  fields: commandFields(
    'bulkWrite',
    `ops:array nsInfo:array ordered:bool errorsOnly:bool let:object cursor:object ${bypassValidation}:flag`,
  ),
  run: bulkWrite,
};
