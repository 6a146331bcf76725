import type { Document } from './value/types.ts';

/** The names MongoDB gives to the error codes that this server answers with. */
const codeNames: Record<number, string> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  100: 'UnsatisfiableWriteConcern',
  115: 'CommandNotSupported',
  121: 'DocumentValidationFailure',
  123: 'NotAReplicaSet',
  171: 'CannotIndexParallelArrays',
  175: 'QueryPlanKilled',
  197: 'InvalidIndexSpecificationOption',
  237: 'CursorKilled',
  238: 'NotImplemented',
  276: 'IndexBuildAborted',
  279: 'ClientDisconnect',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  11000: 'DuplicateKey',
  10334: 'BSONObjectTooLarge',
  11601: 'Interrupted',
  40415: 'IDLUnknownField',
  40573: 'Location40573',
};

/** A refusal as the protocol knows it: a code, a sentence, and sometimes details such as keyPattern. */
export class CommandError extends Error {
  readonly code: number;
  readonly detail: Document;

  constructor(code: number, message: string, detail: Document = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  get codeName(): string {
    return codeNames[this.code] ?? `Location${this.code}`;
  }
}

/** Shorthand for the commonest refusals. */
export const badValue = (message: string): CommandError => new CommandError(2, message);
export const failedToParse = (message: string): CommandError => new CommandError(9, message);
export const typeMismatch = (message: string): CommandError => new CommandError(14, message);
export const notImplemented = (message: string): CommandError => new CommandError(238, message);

/** The document that tells a driver what went wrong. */
export function errorReply(error: unknown): Document {
  const { code, codeName, message, detail } = asCommandError(error);
  return { ok: 0, errmsg: message, code, codeName, ...detail };
}

/** Turns whatever was thrown into a CommandError; an unknown one becomes InternalError and keeps its cause. */
export function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof RangeError) return new CommandError(22, `invalid BSON: ${error.message}`);
  const wrapped = new CommandError(1, error instanceof Error ? error.message : String(error));
  wrapped.cause = error;
  return wrapped;
}
