import type { Collection, Db } from 'mongodb';
import type { Files } from '../../files/index.ts';
import type { LogRecord } from '../../recording/log/record.ts';
import type { RunEventBatch } from '../events/batches.ts';
import type { ThreadItem } from '../items.ts';
import type { RunDocument } from '../run.ts';

/** What of a thread decides whether it is erased. */
export type ErasableThread = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  metadata: Record<string, string>;
  lastUpdatedAt: Date;
};

export type ErasureDeps = {
  db(): Db;
  threads(): Collection<ErasableThread>;
  runs(): Collection<RunDocument>;
  items(): Collection<ThreadItem>;
  batches(): Collection<RunEventBatch>;
  logs(): Collection<LogRecord>;
  files: Pick<Files, 'remove'>;
  /** Gives up the runs of a thread, and deletes them. */
  forgetThread(threadId: string): Promise<void>;
};

/** What was removed. `logs`: those whose headers and bodies are gone; they stay otherwise. */
export type ErasedCounts = { threads: number; messages: number; runs: number; files: number; logs: number };
