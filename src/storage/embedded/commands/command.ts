import { badValue, CommandError, typeMismatch } from '../errors.ts';
import { compileExpression } from '../expression.ts';
import { Pace } from '../pace.ts';
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

/** The fields a command knows (any other is refused, as a MongoDB server refuses it), and what it does. */
export type Command = {
  fields: readonly string[] | null;
  run: (request: Request) => Reply | Promise<Reply>;
};

/** A command that only reads. It may begin in the writer's thread and then move to a reader. */
export type ReadCommand = {
  fields: readonly string[] | null;
  read: (request: ReadRequest) => Reply | Promise<Reply>;
};

const generic = new Set([
  '$db',
  '$clusterTime',
  '$readPreference',
  'apiDeprecationErrors',
  'apiStrict',
  'apiVersion',
  'clientOperationKey',
  'comment',
  'lsid',
  'maxTimeMS',
  'readConcern',
  'writeConcern',
]);

/** The field by which a write asks that a collection's validator be left out of it. */
export const bypassValidation = 'bypassDocumentValidation';

/** Checks the fields that every command shares, and refuses unknown ones. */
export function checkFields(
  name: string,
  body: Document,
  command: { fields: readonly string[] | null },
): void {
  if ('startTransaction' in body || 'autocommit' in body || 'txnNumber' in body) {
    throw new CommandError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  }
  checkConcerns(body);
  if (!command.fields) return;
  for (const field of Object.keys(body)) {
    if (field === name || generic.has(field) || command.fields.includes(field)) continue;
    throw new CommandError(40415, `BSON field '${name}.${field}' is an unknown field.`);
  }
}

const readLevels = ['local', 'available', 'majority', 'linearizable', 'snapshot'];

function checkConcerns(body: Document): void {
  const { readConcern, writeConcern } = body;
  if (isDocument(readConcern) && readConcern.level !== undefined) {
    const level = String(readConcern.level);
    if (!readLevels.includes(level))
      throw badValue(`Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
    if (level === 'linearizable' || level === 'snapshot') {
      throw new CommandError(123, `node needs to be a replica set member to use read concern level ${level}`);
    }
  }
  if (isDocument(readConcern) && ('afterClusterTime' in readConcern || 'atClusterTime' in readConcern)) {
    throw new CommandError(72, 'afterClusterTime and atClusterTime need a replica set');
  }
  if (isDocument(writeConcern) && (asNumber(writeConcern.w) ?? 0) > 1) {
    throw badValue("cannot use 'w' > 1 when a host is not replicated");
  }
}

export function paceOf(body: Document, movable: boolean, client: AbortSignal): Pace {
  const limit = body.maxTimeMS === undefined ? 0 : asNumber(body.maxTimeMS);
  if (limit === null || limit < 0) throw badValue('maxTimeMS must be a non-negative number');
  return new Pace(limit, movable, client);
}

/** The collection a command names. */
export function collectionName(request: ReadRequest): string {
  const name = request.body[request.name];
  if (typeof name !== 'string' || name === '') {
    throw new CommandError(73, `collection name has invalid type ${typeName(name)}`);
  }
  return name;
}

/** Fields of a command with their types checked. */
export function documentField(body: Document, field: string): Document | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (!isDocument(value))
    throw typeMismatch(
      `BSON field '${field}' is the wrong type '${typeName(value)}', expected type 'object'`,
    );
  return value;
}

/** The variables that `let` defines; each is an expression that looks at no document. */
export function letVariables(body: Document): Document | undefined {
  const given = documentField(body, 'let');
  if (!given) return undefined;
  const variables: Document = {};
  for (const [name, value] of Object.entries(given)) variables[name] = compileExpression(value)({}) ?? null;
  return variables;
}

export function countField(body: Document, field: string): number | undefined {
  if (body[field] === undefined || body[field] === null) return undefined;
  const value = asNumber(body[field]);
  if (value === null)
    throw typeMismatch(
      `BSON field '${field}' is the wrong type '${typeName(body[field])}', expected a number`,
    );
  if (value < 0) throw badValue(`BSON field '${field}' value must be >= 0, actual value '${value}'`);
  return Math.trunc(value);
}

export function flagField(body: Document, field: string): boolean {
  const value = body[field];
  return value === true || (typeof value !== 'boolean' && (asNumber(value) ?? 0) !== 0);
}

/** Statements of a write command, from the body or from a document sequence beside it. */
export function statements(request: Request, field: string): Document[] {
  const list = request.body[field];
  if (!Array.isArray(list) || !list.every(isDocument)) {
    throw typeMismatch(`BSON field '${request.name}.${field}' is missing or not an array of objects`);
  }
  return list;
}
