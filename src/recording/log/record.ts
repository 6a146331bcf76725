import type { Binary } from 'mongodb';
import type { FieldTypes, fields, LogField } from './fields.ts';

/** Collections of request logs. */
export const LOGS_COLLECTION = 'logs';
export const LOG_BODIES_COLLECTION = 'log_bodies';

type Fields = typeof fields;

type Value<F extends LogField> =
  | (F extends { oneOf: readonly (infer T)[] } ? T : FieldTypes[F['type']])
  | (F extends { default: null } ? null : never);

/** What happened on one attempt at one provider: the metadata of a request log, without headers and bodies. */
export type LogRecord = { -readonly [Name in keyof Fields]: Value<Fields[Name]> };

/** The fields without a default, which every record has to set. */
export type NeededFields = Pick<
  LogRecord,
  { [Name in keyof Fields]: Fields[Name] extends { default: unknown } ? never : Name }[keyof Fields]
>;

export type CacheStatus = LogRecord['cacheStatus'];

/**
 * Headers and bodies of a log, kept apart with a retention of their own. Headers are already redacted. An optional message
 * that a call did not have is not stored.
 */
export type LogBodies = {
  expiresAt: Date | null;
  request: LogMessage;
  /** The body in the caller's format after the config's parameters, where it was then translated to another format. */
  finalUntransformedRequest?: LogMessage | undefined;
  /** What went to the provider, when it differs from what the caller sent. */
  transformedRequest: LogMessage | null;
  response: LogMessage;
  /** What the provider answered, where that was translated for the caller. */
  originalResponse?: LogMessage | undefined;
};

/** A record as it was made, before it is stored; `endsCall`: see `ExchangeDraft`. */
export type Observed = { record: LogRecord; endsCall: boolean };

/** A log as it is handed to the store. */
export type LogEntry = { record: LogRecord; bodies: LogBodies | null };

/**
 * Bodies of several logs of one workspace in one document: a request then costs the store one small insert, and a look
 * at one log reads one member of one pack.
 */
export type LogBodiesPack = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  createdAt: Date;
  expiresAt: Date | null;
  /** Zstandard-compressed JSON: an object of `LogBodies` by the log's id. */
  entries: Binary;
};

export type LogMessage = {
  headers: Record<string, string>;
  /** Text as it went over the wire; null when there was none, when it is binary, or when bodies are not stored. */
  body: string | null;
  /** True when the stored text is only the beginning. */
  truncated: boolean;
};
