import {
  type Document,
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoError,
  MongoOperationTimeoutError,
  MongoServerError,
} from 'mongodb';
import type { EntityMap } from './entity-map.ts';
import { match } from './matching.ts';
import type { Place } from './place.ts';
import { Mismatch, RunnerError } from './problems.ts';
import { isDocument, plain, show } from './values.ts';

/** The error that the assertions are about: a bulk write of the client wraps what went wrong as a whole. */
const topError = (error: Error): Error =>
  error instanceof MongoClientBulkWriteError && error.cause instanceof Error ? error.cause : error;

/** The errors in which a message or code name may be found; a bulk write of a collection gathers several. */
function sources(error: Error): { message?: string; codeName?: string }[] {
  const top = topError(error) as Error & { codeName?: string };
  if (!(top instanceof MongoBulkWriteError)) return [top];
  const { writeErrors, result } = top;
  const list = Array.isArray(writeErrors) ? writeErrors : [writeErrors];
  const concern = result?.getWriteConcernError();
  return [
    top,
    ...list.map(({ errmsg, err }) => ({ message: errmsg, codeName: codeName(err) })),
    ...(concern ? [{ message: concern.errmsg ?? '' }] : []),
  ];
}

const codeName = (reply: unknown) => (isDocument(reply) ? (reply.codeName as string | undefined) : undefined);

function expectTrue(condition: boolean, message: string): void {
  if (!condition) throw new Mismatch(message);
}

/** Write errors by the index of the write that failed. */
function writeErrorsByIndex(error: Error): Document {
  if (error instanceof MongoClientBulkWriteError) return Object.fromEntries(error.writeErrors);
  if (!(error instanceof MongoBulkWriteError)) return {};
  const list = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  return Object.fromEntries(list.map(({ index, code, errmsg }) => [index, { code, message: errmsg }]));
}

function writeConcernErrors(error: Error): Document[] {
  if (error instanceof MongoClientBulkWriteError) return error.writeConcernErrors;
  const single = error instanceof MongoBulkWriteError ? error.result?.getWriteConcernError() : undefined;
  return single ? [{ code: single.code, message: single.errmsg }] : [];
}

function partialResult(error: Error): unknown {
  if (error instanceof MongoClientBulkWriteError) return error.partialResult;
  return error instanceof MongoBulkWriteError ? error.result : undefined;
}

type Assertion = (expected: unknown, error: Error, place: Place) => void;

function hasLabel(error: Error, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}

const assertions: Record<string, Assertion> = {
  isError() {
    // There is one, or nothing here would run.
  },
  isClientError(expected, error) {
    const isClientError = !(topError(error) instanceof MongoServerError);
    expectTrue(isClientError === expected, `expected isClientError ${expected}, got ${error}`);
  },
  isTimeoutError(expected, error) {
    const isTimeout = topError(error) instanceof MongoOperationTimeoutError;
    expectTrue(isTimeout === expected, `expected isTimeoutError ${expected}, got ${error}`);
  },
  errorContains(expected, error) {
    const text = String(expected).toLowerCase();
    const isFound = sources(error).some(({ message }) => message?.toLowerCase().includes(text));
    expectTrue(isFound, `expected an error containing ${show(expected)}, got ${error}`);
  },
  errorCode(expected, error) {
    const { code } = topError(error) as { code?: unknown };
    expectTrue(code === plain(expected), `expected error code ${plain(expected)}, got ${code}: ${error}`);
  },
  errorCodeName(expected, error) {
    const names = sources(error).map((source) => source.codeName);
    const isFound = names.some((name) => name?.toLowerCase() === String(expected).toLowerCase());
    expectTrue(isFound, `expected error ${expected}, got ${names.join(', ')}: ${error}`);
  },
  errorLabelsContain(expected, error) {
    for (const label of expected as string[]) {
      expectTrue(hasLabel(error, label), `expected error label ${label} on ${error}`);
    }
  },
  errorLabelsOmit(expected, error) {
    for (const label of expected as string[]) {
      expectTrue(!hasLabel(error, label), `unexpected error label ${label} on ${error}`);
    }
  },
  writeErrors(expected, error, place) {
    const actual = writeErrorsByIndex(error);
    match(Object.keys(expected as object), Object.keys(actual), { ...place, path: 'indexes of writeErrors' });
    for (const [index, single] of Object.entries(expected as Document)) {
      match(single, actual[index], { ...place, path: `writeErrors.${index}`, root: 'document' });
    }
  },
  writeConcernErrors(expected, error, place) {
    match(expected, writeConcernErrors(error), { ...place, path: 'writeConcernErrors', root: 'elements' });
  },
  errorResponse(expected, error, place) {
    const top = topError(error);
    const response = top instanceof MongoServerError ? top.errorResponse : undefined;
    match(expected, response, { ...place, path: 'errorResponse', root: 'document' });
  },
  expectResult(expected, error, place) {
    match(expected, partialResult(error), { ...place, path: 'result of the error', root: 'document' });
  },
};

/** Asserts what a test says about the error that an operation ended with. */
export function matchError(expected: Document, error: Error, entities: EntityMap): void {
  for (const [name, value] of Object.entries(expected)) {
    const assertion = assertions[name];
    if (!assertion) throw new RunnerError(`Unknown assertion about an error: ${name}.`);
    assertion(value, error, { path: 'error', root: 'none', entities });
  }
}
