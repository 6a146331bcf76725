import { badValue, CommandError, typeMismatch } from '../errors.ts';
import { compileExpression } from '../expression.ts';
import { Pace } from '../pace.ts';
import { parseCollation } from '../query/collation.ts';
import type { Selection } from '../query/select.ts';
import { parseSort } from '../query/sort.ts';
import type { ReadStore } from '../store/read-store.ts';
import type { Store } from '../store/store.ts';
import { asNumber, type Document, isDocument, typeName } from '../value/types.ts';
import type { Message } from '../wire.ts';

/** A reading command on its way through: where it is aimed, what it says, and what it may take. */
export type ReadRequest = {
  store: ReadStore;
  database: string;
  name: string;
  body: Document;
  /** The message that brought it. */
  message: Message;
  /** Aborted when the client has gone. */
  client: AbortSignal;
  pace: Pace;
};

/** A command in the writer's thread. */
export type Request = ReadRequest & { store: Store };

export type Reply = Document | Buffer;

/** The fields that a command or a statement knows; null for any. */
type Fields = ReadonlySet<string> | null;

/** A command: the fields it knows (any other is refused, as a MongoDB server refuses it), and what it does. */
export type Command = { fields: Fields; run: (request: Request) => Reply | Promise<Reply> };

/** A command that only reads. It may begin in the writer's thread and then move to a reader. */
export type ReadCommand = { fields: Fields; read: (request: ReadRequest) => Reply | Promise<Reply> };

/** A set of names, written with spaces between them. */
export const fieldSet = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const generic = fieldSet(
  '$db $clusterTime $readPreference apiDeprecationErrors apiStrict apiVersion clientOperationKey comment lsid maxTimeMS readConcern writeConcern',
);

/** The field by which a write asks that a collection's validator be left out of it. */
export const bypassValidation = 'bypassDocumentValidation';

/** Checks the fields that every command shares, and refuses unknown ones. */
export function checkFields(name: string, body: Document, { fields }: { fields: Fields }): void {
  if ('startTransaction' in body || 'autocommit' in body || 'txnNumber' in body) {
    throw new CommandError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  }
  checkConcerns(body);
  if (fields) refuseUnknown(body, name, (field) => field === name || generic.has(field) || fields.has(field));
}

/** Refuses a document with a field that is not known. */
export function refuseUnknown(body: Document, where: string, known: (field: string) => boolean): void {
  for (const field of Object.keys(body)) {
    if (!known(field)) throw new CommandError(40415, `BSON field '${where}.${field}' is an unknown field.`);
  }
}

function checkConcerns({ readConcern, writeConcern }: Document): void {
  if (isDocument(writeConcern) && (asNumber(writeConcern.w) ?? 0) > 1) {
    throw badValue("cannot use 'w' > 1 when a host is not replicated");
  }
  if (!isDocument(readConcern)) return;
  const { level = 'local' } = readConcern;
  if (level === 'linearizable' || level === 'snapshot') {
    throw new CommandError(123, `node needs to be a replica set member to use read concern level ${level}`);
  }
  if (!['local', 'available', 'majority'].includes(String(level)))
    throw badValue(`Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
  if ('afterClusterTime' in readConcern || 'atClusterTime' in readConcern)
    throw new CommandError(72, 'afterClusterTime and atClusterTime need a replica set');
}

export function paceOf(body: Document, movable: boolean, client: AbortSignal): Pace {
  const limit = body.maxTimeMS === undefined ? 0 : asNumber(body.maxTimeMS);
  if (limit === null || limit < 0) throw badValue('maxTimeMS must be a non-negative number');
  return new Pace(limit, movable, client);
}

/** The collection a command names. */
export function collectionName({ name, body }: ReadRequest): string {
  const collection = body[name];
  if (typeof collection === 'string' && collection !== '') return collection;
  throw new CommandError(73, `collection name has invalid type ${typeName(collection)}`);
}

/** A namespace cut at its first dot. */
export function namespaceOf(namespace: unknown): { database: string; name: string } {
  const [database = '', ...rest] = String(namespace).split('.');
  return { database, name: rest.join('.') };
}

const wrongType = (body: Document, field: string, expected: string): CommandError =>
  typeMismatch(`BSON field '${field}' is the wrong type '${typeName(body[field])}', expected ${expected}`);

/** A field that holds a document, if it is there. */
export function documentField(body: Document, field: string): Document | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || isDocument(value)) return value;
  throw wrongType(body, field, "type 'object'");
}

/** A field that holds a number, if it is there. */
function numberField(body: Document, field: string): number | undefined {
  if ((body[field] ?? undefined) === undefined) return undefined;
  const value = asNumber(body[field]);
  if (value === null) throw wrongType(body, field, 'a number');
  return Math.trunc(value);
}

export function countField(body: Document, field: string): number | undefined {
  const value = numberField(body, field);
  if (value === undefined || value >= 0) return value;
  throw badValue(`BSON field '${field}' value must be >= 0, actual value '${value}'`);
}

export function flagField(body: Document, field: string): boolean {
  const value = body[field];
  return value === true || (typeof value !== 'boolean' && (asNumber(value) ?? 0) !== 0);
}

/** Statements of a write command, from the body or from a document sequence beside it. */
export function statements({ name, body }: Request, field: string): Document[] {
  const list = body[field];
  if (Array.isArray(list) && list.every(isDocument)) return list;
  throw typeMismatch(`BSON field '${name}.${field}' is missing or not an array of objects`);
}

/** The variables that `let` defines; each is an expression that looks at no document. */
export function letVariables(body: Document): Document | undefined {
  const given = documentField(body, 'let');
  if (!given) return undefined;
  const variables: Document = {};
  for (const [name, value] of Object.entries(given)) variables[name] = compileExpression(value)({}) ?? null;
  return variables;
}

/** What every command and statement with a filter says in the same fields; `limit` may be negative in a find. */
export function parseSelection(
  body: Document,
  filterField: string,
  variables = letVariables(body),
): Selection & { filter: Document; limit: number } {
  return {
    filter: documentField(body, filterField) ?? {},
    sort: parseSort(body.sort),
    skip: countField(body, 'skip') ?? 0,
    limit: Math.abs(numberField(body, 'limit') ?? 0),
    collation: parseCollation(body.collation),
    hint: body.hint,
    variables,
  };
}
