import { badValue, CommandError, failedToParse, typeMismatch } from '../errors.ts';
import { compileExpression } from '../expression/expression.ts';
import { checkFields, type FieldTable, fieldTable, isTrue } from '../fields.ts';
import { Pace } from '../pace.ts';
import type { DocumentQuery } from '../plan/document-query.ts';
import { parseCollation } from '../query/collation.ts';
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

export type CommandReply = Document | Buffer;

/** A command: the fields it knows (any other is refused, as a MongoDB server refuses it; null: any), and what it does. */
export type Command = {
  fields: FieldTable | null;
  run: (request: Request) => CommandReply | Promise<CommandReply>;
};

/** A command that only reads. It may begin in the writer's thread and then move to a reader. */
export type ReadCommand = {
  fields: FieldTable | null;
  read: (request: ReadRequest) => CommandReply | Promise<CommandReply>;
};

const generic =
  '$db $clusterTime $readPreference apiDeprecationErrors:bool apiStrict:bool apiVersion:string clientOperationKey comment lsid:object maxTimeMS readConcern:object writeConcern:object';

/** The fields of a command: its name, those of its own, and those that every command has. */
export const commandFields = (name: string, own = ''): FieldTable =>
  fieldTable(`${name} ${generic} ${own}`.trim());

/** The field by which a write asks that a collection's validator be left out of it. */
export const bypassValidation = 'bypassDocumentValidation';

/** Checks the fields of a command, and those that every command shares. */
export function checkCommand(name: string, body: Document, { fields }: Command | ReadCommand): void {
  if ('startTransaction' in body || 'autocommit' in body || 'txnNumber' in body) {
    throw new CommandError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  }
  if (fields) checkFields(name, body, fields);
  if (isDocument(body.writeConcern)) checkWriteConcern(body.writeConcern);
  if (isDocument(body.readConcern)) checkReadConcern(body.readConcern);
}

const writeConcernFields = fieldTable('w j:flag fsync:flag wtimeout:number provenance:string');

function checkWriteConcern(concern: Document): void {
  checkFields('writeConcern', concern, writeConcernFields);
  const { w = 1 } = concern;
  if (typeof w === 'string' || isDocument(w)) {
    if (w === 'majority') return;
    throw badValue("cannot use non-majority 'w' mode when a host is not a member of a replica set");
  }
  const nodes = asNumber(w) ?? -1;
  if (!(nodes >= 0 && nodes <= 50))
    throw failedToParse('w has to be a non-negative number and not greater than 50');
  if (nodes > 1) throw badValue("cannot use 'w' > 1 when a host is not replicated");
}

const readConcernFields = fieldTable('level:string afterClusterTime atClusterTime provenance:string');

function checkReadConcern(concern: Document): void {
  checkFields('readConcern', concern, readConcernFields);
  const level = concern.level ?? 'local';
  if (level === 'linearizable' || level === 'snapshot') {
    throw new CommandError(123, `node needs to be a replica set member to use read concern level ${level}`);
  }
  if (!['local', 'available', 'majority'].includes(String(level)))
    throw badValue(`Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
  if ('afterClusterTime' in concern || 'atClusterTime' in concern)
    throw new CommandError(72, 'afterClusterTime and atClusterTime need a replica set');
}

/** The pace at which a command may work. */
export function paceOf(body: Document, movable: boolean, client: AbortSignal): Pace {
  return new Pace(timeLimit(body), movable, client);
}

/** The milliseconds that a command may work; 0 for no limit. */
export function timeLimit({ maxTimeMS = 0 }: Document): number {
  const limit = asNumber(maxTimeMS) ?? -1;
  if (Number.isInteger(limit) && limit >= 0 && limit <= 2147483647) return limit;
  throw badValue('maxTimeMS must be a whole number from 0 to 2147483647');
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

/** A field that holds a document, if it is there. */
export function documentField(body: Document, field: string): Document | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || isDocument(value)) return value;
  throw typeMismatch(`BSON field '${field}' is the wrong type '${typeName(value)}', expected type 'object'`);
}

/** A field that holds a number, if it is there. */
function numberField(body: Document, field: string): number | undefined {
  const value = asNumber(body[field]);
  return value === null ? undefined : Math.trunc(value);
}

/** A field that holds a number that is not negative, if it is there. */
export function countField(body: Document, field: string): number | undefined {
  const value = numberField(body, field);
  if (value === undefined || value >= 0) return value;
  throw badValue(`BSON field '${field}' value must be >= 0, actual value '${value}'`);
}

export const flagField = (body: Document, field: string): boolean => isTrue(body[field]);

/** The documents that a command has in its body or in a document sequence beside it. */
export function documentsField({ name, body }: Request, field: string): Document[] {
  const list = body[field];
  if (Array.isArray(list) && list.every(isDocument)) return list;
  if ((list ?? undefined) === undefined)
    throw new CommandError(40414, `BSON field '${name}.${field}' is missing but a required field`);
  throw typeMismatch(`BSON field '${name}.${field}' is not an array of objects`);
}

const largestBatch = 100_000;

/** Refuses a write command without statements, or with too many. */
export function checkBatch<Statement>(list: Statement[]): Statement[] {
  if (list.length > 0 && list.length <= largestBatch) return list;
  const sentence = `Write batch sizes must be between 1 and ${largestBatch}. Got ${list.length} operations.`;
  throw new CommandError(16, sentence);
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
): DocumentQuery & { filter: Document; limit: number } {
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
