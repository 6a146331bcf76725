import { join } from 'node:path';
import type { Logger } from '../lib/logger.ts';
import { createAuditChain } from '../recording/audit/chain.ts';
import { createAuditNotes } from '../recording/audit/notes.ts';
import { createReserve } from '../recording/audit/reserve.ts';
import { createSpool } from '../recording/audit/spool.ts';
import { createAuditTrail } from '../recording/audit/trail.ts';
import { createLogThread } from '../recording/log/thread/log-thread.ts';
import type { StartLogWorker } from '../recording/log/thread/worker-port.ts';
import { createLogWriter } from '../recording/log/writer.ts';
import type { Settings } from '../settings/index.ts';
import type { Storage } from '../storage/connection.ts';
import type { DiskWatch } from '../storage/disk-watch.ts';
import { createEvents } from '../storage/events/index.ts';
import { nativeDb } from '../storage/native-db.ts';
import type { Secrets } from '../storage/secrets.ts';

/** Builds what records requests and changes, and the events that tell other processes of them. */
export function createRecording(
  settings: Settings,
  { db, uri }: Pick<Storage, 'db' | 'uri'>,
  secrets: Secrets,
  disk: DiskWatch,
  log: Logger,
  startLogWorker?: StartLogWorker,
) {
  const { dataDirectory } = settings.storage;
  const spoolDirectory = join(dataDirectory, 'spool');
  const reserve = createReserve(join(dataDirectory, 'reserve'));
  const events = createEvents(db, log);
  const notes = createAuditNotes({
    directory: join(dataDirectory, 'audit-heads'),
    db: () => nativeDb(db),
    log,
  });
  const audit = createAuditTrail({
    chain: createAuditChain({
      db: () => nativeDb(db),
      sign: (text) => secrets.sign('audit chain', text),
      onHead: notes.note,
      log,
    }),
    onAppended(entries) {
      for (const { _id, organisationId, workspaceId } of entries)
        events.append({ kind: 'audit_entry', organisationId, workspaceId, ids: [_id] });
    },
    onRefused: disk.note,
    spool: createSpool(spoolDirectory, 'audit', reserve),
    reserve,
    log,
  });
  const requestLog = createLogThread(
    {
      ...settings.requestLogs,
      traceCollector: settings.traceCollector,
      uri,
      spoolDirectory,
      overflowKey: secrets.fileKey('request log overflow'),
      logLevel: settings.logLevel,
    },
    log,
    events.wake,
    startLogWorker,
  );
  const logs = createLogWriter({ database: async () => nativeDb(db), log });
  return { events, audit, notes, requestLog, logs };
}
