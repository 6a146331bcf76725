import type { Collection, Db } from 'mongodb';
import type { Files } from '../../files/index.ts';
import type { LogRecord } from '../../recording/log/record.ts';
import type { RunEventBatch } from '../events/batches.ts';
import type { ThreadItem } from '../items.ts';
import type { RunDocument } from '../run.ts';
import type { ErasedRun } from './erased-runs.ts';

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
  erasedRuns(): Collection<ErasedRun>;
  files: Pick<Files, 'remove'>;
  /** In how many vector stores files are, each counted as often as it is in one. */
  storeFiles(
    owner: { organisationId: string; workspaceId: string },
    fileIds: readonly string[],
  ): Promise<number>;
  /** Deletes the vector store that a thread's attachments have made; answers how many files were in it. */
  forgetOwnStore(thread: ErasableThread): Promise<number>;
  /** Gives up the runs of a thread, and deletes them. */
  forgetThread(threadId: string): Promise<void>;
  now(): Date;
};

/** What is counted of what was removed. `logs`: those whose headers and bodies are gone; they stay otherwise. */
export const erasedKinds = ['threads', 'messages', 'runs', 'files', 'vectorStoreFiles', 'logs'] as const;
export type ErasedCounts = Record<(typeof erasedKinds)[number], number>;
