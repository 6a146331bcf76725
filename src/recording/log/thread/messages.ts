import type { KeyObject } from 'node:crypto';
import type { LogLevel } from '../../../lib/logger.ts';
import type { OtlpCollector } from '../../../settings/traces.ts';
import type { SpanCounters } from '../../spans/span-export.ts';
import type { PrepareOptions } from '../prepare.ts';
import type { MetricsJson } from '../traffic-metrics.ts';

/** What the thread is started with. */
export type LogThreadData = PrepareOptions & {
  /** Null tells no collector. */
  traceCollector: OtlpCollector | null;
  /** Connection string of the database, its name included. */
  uri: string;
  spoolDirectory: string;
  /** A key of 32 bytes under which drafts are sealed that have to wait on disk. */
  overflowKey: KeyObject;
  logLevel: LogLevel;
};

/**
 * `work`: a chunk of drafts in memory, or a file of them. With `isAway` the thread tells metrics and spans of a chunk and gives
 * it back at once, since the database has just refused another.
 */
export type ToLogThread =
  | { work: number; bytes: Uint8Array; isAway: boolean }
  | { work: number; path: string }
  | { drain: number }
  | { metrics: number }
  | { stop: true };

/** What became of the drafts of one process. `spooled`: how many went to disk on their way. */
export type LogCounters = { waiting: number; written: number; spooled: number; dropped: number };

/** The thread is done with works: so many drafts are in the database, and so many lost. `isDamaged`: not all could be read. */
export type WorkDone = { worked: number[]; written: number; lost: number; isDamaged: boolean };

/**
 * The database does not take works now; `wasAsked`: it has just said so. The bytes of those that were in memory come back, in
 * the same order; files stay.
 */
export type WorkRefused = { refused: number[]; chunks: Uint8Array[]; wasAsked: boolean };

export type FromLogThread =
  | { ready: true }
  | WorkDone
  | WorkRefused
  | { spans: SpanCounters }
  | { done: number }
  | { metrics: number; values: MetricsJson }
  | { appended: true };
