/** The names MongoDB gives to the error codes that this server answers with. */
const codeNames: Record<number, string> = {
  1: 'InternalError',
  2: 'BadValue',
  8: 'UnknownError',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  16: 'InvalidLength',
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
  301: 'DataCorruptionDetected',
  322: 'APIVersionError',
  323: 'APIStrictError',
  11000: 'DuplicateKey',
  10334: 'BSONObjectTooLarge',
  11600: 'InterruptedAtShutdown',
  11601: 'Interrupted',
  12587: 'BackgroundOperationInProgressForNamespace',
  14031: 'OutOfDiskSpace',
  40414: 'IDLFailedToParse',
  40415: 'IDLUnknownField',
  40573: 'Location40573',
};

/** A refusal as the protocol knows it: a code, a sentence, and sometimes details such as keyPattern. */
export class CommandError extends Error {
  readonly code: number;
  readonly detail: Record<string, unknown>;

  constructor(code: number, message: string, detail: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  get codeName(): string {
    return codeNames[this.code] ?? `Location${this.code}`;
  }
}

/** The code of what should not have happened. */
export const internalError = 1;

/** Shorthand for the commonest refusals. */
export const badValue = (message: string): CommandError => new CommandError(2, message);
export const failedToParse = (message: string): CommandError => new CommandError(9, message);
export const typeMismatch = (message: string): CommandError => new CommandError(14, message);
export const notImplemented = (message: string): CommandError => new CommandError(238, message);

/** The error of a statement whose collection or index went away while it was at work. */
export const planKilled = (): CommandError =>
  new CommandError(175, 'operation was interrupted because its collection or index was dropped');

/** Characters of a message that are sent. */
const longestMessage = 10_000;

/** What tells a driver what went wrong. */
export function errorReply(error: unknown): Record<string, unknown> & { detail: Record<string, unknown> } {
  const { code, codeName, message, detail } = asCommandError(error);
  return { ok: 0, errmsg: message.slice(0, longestMessage), code, codeName, detail };
}

/** Why a server could not start, as a sentence for the person who runs it. */
export class StartError extends Error {}

/** SQLite's primary result codes for what goes wrong below it: the code that a MongoDB server gives, and words. */
const storageFaults: Record<number, [code: number, meaning: string]> = {
  8: [8, 'the data file cannot be written'],
  10: [8, 'the disk of the data file fails'],
  11: [301, 'the data file is damaged'],
  13: [14031, 'the disk of the data file is full'],
  14: [8, 'a file of the store cannot be opened'],
  26: [301, 'the data file is damaged'],
};

/** SQLite could not make the index of its log larger (SQLITE_IOERR_SHMSIZE). */
const noRoomForIndex = 4874;

/** An error that SQLite raised because of the disk or the file, in the words of the protocol; else null. */
function storageFault(error: unknown): CommandError | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  const errcode = Number(error.errcode);
  // The upper bits of an extended code only tell which system call met the fault.
  const [code, meaning] = storageFaults[errcode === noRoomForIndex ? 13 : errcode & 0xff] ?? [];
  return code === undefined
    ? null
    : new CommandError(code, `${meaning} (SQLite ${error.errcode}: ${error.message})`);
}

/** The code of a fault of the disk that may be a quota, which SQLite does not tell apart. */
export const unknownError = 8;
export const outOfDiskSpace = 14031;

const storageFaultCodes = new Set([unknownError, 301, outOfDiskSpace]);

/** True when the disk or the data file is at fault. */
const isStorageFault = (error: CommandError): boolean => storageFaultCodes.has(error.code);

/** True for what is no refusal of one statement but a fault of the server or of its disk. */
export const isFault = (error: CommandError): boolean =>
  error.code === internalError || isStorageFault(error);

/** Turns whatever was thrown into a CommandError; an unknown one becomes InternalError and keeps its cause. */
export function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof RangeError) return new CommandError(22, `invalid BSON: ${error.message}`);
  const message = error instanceof Error ? error.message : String(error);
  const wrapped = storageFault(error) ?? new CommandError(internalError, message);
  wrapped.cause = error;
  return wrapped;
}

/** The error that a caller of a failed start gets. */
export function asStartError(directory: string, error: unknown): StartError {
  if (error instanceof StartError) return error;
  const reason = asCommandError(error).message;
  return new StartError(`The store in ${directory} cannot start: ${reason}.`, { cause: error });
}
