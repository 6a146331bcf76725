import type { LogLevel } from '../../../lib/logger.ts';
import type { OtlpCollector } from '../../../settings/traces.ts';
import type { QueueCounters } from '../../queue/queue.ts';
import type { SpanCounters } from '../../spans/span-export.ts';
import type { RequestLogOptions } from '../request-log.ts';
import type { MetricsJson } from '../traffic-metrics.ts';

/** What the thread is started with. */
export type LogThreadData = Pick<
  RequestLogOptions,
  'maskedHeaders' | 'bodies' | 'maxBodyBytes' | 'retentionDays' | 'bodyRetentionDays'
> & {
  /** Null tells no collector. */
  traceCollector: OtlpCollector | null;
  /** Connection string of the database, its name included. */
  uri: string;
  spoolDirectory: string;
  /** 32 bytes under which drafts are sealed that have to wait on disk. */
  overflowKey: Uint8Array;
  logLevel: LogLevel;
};

/** `work`: drafts in memory or on disk; the answer names it, and says how many drafts were found. */
export type ToLogThread =
  | { work: number; bytes: Uint8Array }
  | { work: number; path: string }
  | { drain: number }
  | { metrics: number }
  | { stop: true };

/** The thread is done with a work: `drafts` says how many it found. */
export type WorkDone = { worked: number; drafts: number; counters: QueueCounters };

export type FromLogThread =
  | { ready: true }
  | WorkDone
  | { spans: SpanCounters }
  | { done: number }
  | { metrics: number; values: MetricsJson }
  | { appended: true };
