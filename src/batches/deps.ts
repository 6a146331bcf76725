import type { Collection } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Dataplane } from '../dataplane/index.ts';
import type { Files } from '../files/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { Leases } from '../storage/leases.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { BatchDocument, BatchLineDocument } from './batch.ts';

/** What the execution of batches needs. */
export type BatchDeps = {
  batches(): Collection<BatchDocument>;
  lines(): Collection<BatchLineDocument>;
  files: Pick<Files, 'find' | 'open' | 'store'>;
  dataplane: Dataplane;
  secrets: Secrets;
  db: Connection;
  leases: Leases;
  /** Calls that one process makes for batches at the same time. */
  linesAtOnce: number;
  now(): Date;
  log: Logger;
};
