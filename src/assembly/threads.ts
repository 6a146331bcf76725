import type { Connection } from 'mongoose';
import type { Files } from '../files/index.ts';
import type { Knowledge } from '../knowledge/index.ts';
import type { Logger } from '../lib/logger.ts';
import { LOGS_COLLECTION } from '../recording/log/record.ts';
import {
  createLateErasure,
  createThreadErasure,
  createThreadRetention,
  type ErasureDeps,
  type ThreadErasure,
} from '../runs/erasure/index.ts';
import type { RunEngine } from '../runs/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Leases } from '../storage/leases.ts';
import { nativeDb } from '../storage/native-db.ts';
import { ownStoreId } from '../subgraphs/assistants/attachments.ts';
import { vectorStoreModel } from '../subgraphs/assistants/vector-store/index.ts';
import { vectorStoreFileModel } from '../subgraphs/assistants/vector-store-file/index.ts';
import type { ServicePart } from './lifecycle.ts';

type Deps = {
  runs: Pick<RunEngine, 'forgetThread'>;
  files: Files;
  knowledge: Pick<Knowledge, 'dropStore'>;
  db: Connection;
  leases: Leases;
  now(): Date;
  log: Logger;
};

/** What removes conversations: when somebody asks for it, and after the time that the installation keeps them. */
export function createThreadUpkeep(
  { threadRetentionDays: days }: Pick<Settings, 'threadRetentionDays'>,
  { runs, files, knowledge, db: connection, leases, now, log }: Deps,
): { erasure: ThreadErasure; late: ServicePart; retention: ServicePart } {
  const db = () => nativeDb(connection);
  const deps: ErasureDeps = {
    db,
    threads: () => db().collection('threads'),
    runs: () => db().collection('runs'),
    items: () => db().collection('thread_items'),
    batches: () => db().collection('run_events'),
    logs: () => db().collection(LOGS_COLLECTION),
    erasedRuns: () => db().collection('erased_runs'),
    files,
    storeFiles: (owner, ids) =>
      vectorStoreFileModel(connection).countDocuments({ ...owner, fileId: { $in: [...ids] } }),
    async forgetOwnStore({ _id: threadId, organisationId, workspaceId }) {
      const own = { _id: ownStoreId(threadId), organisationId, workspaceId };
      if (!(await vectorStoreModel(connection).exists(own))) return 0;
      // The store goes last, so that it is found again where this breaks off.
      const files = await knowledge.dropStore(own._id);
      await vectorStoreModel(connection).deleteOne(own);
      return files;
    },
    forgetThread: runs.forgetThread,
    now,
  };
  const duty = { ...deps, connection, leases, log };
  return {
    erasure: createThreadErasure(deps),
    late: createLateErasure(duty),
    retention: days === null ? {} : createThreadRetention(duty, days),
  };
}
