import { GatewayError } from '../../../errors/index.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Leases } from '../../../storage/leases.ts';
import { contentName, type LogExportDocument, logExportModel } from './model.ts';
import { createTurns, type Waiting } from './turns.ts';
import { type ContentOptions, Superseded, writeContent } from './write-content.ts';

/** Writes the exports that were started, a few at once and one of each organisation, in whatever process has time for them. */
export type ExportRunner = {
  /** Looks for work now. */
  wake(): void;
  start(): void;
  /** Gives up the exports that it writes; another process, or the next start, begins them anew. */
  stop(): Promise<void>;
};

export type RunnerOptions = ContentOptions & { leases: Leases; log: Logger };

/** Milliseconds between two looks for exports whose process died, and for those that expired. */
const LOOK = 10_000;
/** Exports that a process writes at once. */
const AT_ONCE = 3;
/** Expired exports that are removed in one round. */
const ROUND = 20;

export function createExportRunner(options: RunnerOptions): ExportRunner {
  const { db, files, leases, now, log } = options;
  const turns = createTurns(db);
  const stopping = new AbortController();
  const writing = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | null = null;
  let again = false;

  async function round(): Promise<void> {
    while (writing.size < AT_ONCE && !stopping.signal.aborted) {
      const waiting = await turns.next();
      if (!waiting) break;
      begin(waiting);
    }
    await removeExpired();
  }

  function begin(waiting: Waiting): void {
    turns.begin(waiting);
    const written = leases
      .hold(db, `log export ${waiting._id}`, 0, () => writeContent(options, waiting._id, stopping.signal))
      .catch((error: unknown) => failed(waiting, error))
      .then(() => {
        turns.end(waiting);
        writing.delete(written);
        proceed();
      });
    writing.add(written);
  }

  function failed(waiting: Waiting, error: unknown): void {
    if (stopping.signal.aborted || error instanceof Superseded) return;
    turns.skip(waiting);
    if (!isHeld(error)) log.error({ error, logExport: waiting._id }, 'A log export failed.');
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

  function proceed(): void {
    again = true;
    if (!stopping.signal.aborted) working ??= work();
  }

  function wake(): void {
    turns.lookAgain();
    proceed();
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
      await Promise.all(writing);
    },
  };
}

/** Another process writes it. */
const isHeld = (error: unknown): boolean => error instanceof GatewayError && error.code === 'IN_PROGRESS';
