import type { Connection } from 'mongoose';
import { GatewayError } from '../../../errors/index.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { ExportFiles } from '../../../storage/export-files/index.ts';
import type { Leases } from '../../../storage/leases.ts';
import { contentName, type LogExportDocument, logExportModel } from './model.ts';
import { Superseded, writeContent } from './write-content.ts';

/** Writes the exports that were started, one at a time, in whatever process has time for them. */
export type ExportRunner = {
  /** Looks for work now. */
  wake(): void;
  start(): void;
  /** Gives up the export that it writes; another process, or the next start, begins it anew. */
  stop(): Promise<void>;
};

export type RunnerOptions = {
  db: Connection;
  files: ExportFiles;
  leases: Leases;
  retentionDays: number;
  now: () => Date;
  log: Logger;
};

/** Milliseconds between two looks for exports whose process died, and for those that expired. */
const LOOK = 10_000;
/** Exports that are looked at in one round. */
const ROUND = 20;

export function createExportRunner(options: RunnerOptions): ExportRunner {
  const { db, files, leases, now, log } = options;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | null = null;
  let again = false;

  async function round(): Promise<void> {
    const waiting = await logExportModel(db)
      .find({ status: 'in_progress' }, { _id: 1 })
      .sort({ startedAt: 1 })
      .limit(ROUND)
      .lean<{ _id: string }[]>();
    for (const { _id } of waiting) {
      if (stopping.signal.aborted) return;
      await leases.hold(db, `log export ${_id}`, 0, () => write(_id)).catch(ignoreHeld);
    }
    await removeExpired();
  }

  async function write(id: string): Promise<void> {
    try {
      await writeContent(options, id, stopping.signal);
    } catch (error) {
      if (stopping.signal.aborted || error instanceof Superseded) return;
      log.error({ error, logExport: id }, 'A log export failed.');
    }
  }

  async function removeExpired(): Promise<void> {
    const expired = await logExportModel(db)
      .find({ expiresAt: { $lte: now() }, status: { $ne: 'in_progress' } })
      .limit(ROUND)
      .lean<LogExportDocument[]>();
    for (const { _id, attempt, status } of expired) {
      if (attempt !== null) await files.remove(contentName(_id, attempt));
      await logExportModel(db).deleteOne({ _id, status });
    }
  }

  async function work(): Promise<void> {
    do {
      again = false;
      await round().catch((error: unknown) => log.warn({ error }, 'Log exports could not be looked for.'));
    } while (again && !stopping.signal.aborted);
    working = null;
  }

  function wake(): void {
    again = true;
    if (!stopping.signal.aborted) working ??= work();
  }

  return {
    wake,
    start() {
      wake();
      timer = setInterval(wake, LOOK).unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await working;
    },
  };
}

/** Another process writes it. */
function ignoreHeld(error: unknown): void {
  if (!(error instanceof GatewayError) || error.code !== 'IN_PROGRESS') throw error;
}
