import { GatewayError } from '../errors/index.ts';
import type { BatchDocument } from './batch.ts';
import type { BatchDeps } from './deps.ts';
import type { LinesOfBatch } from './lines-of-batch.ts';
import { createSlots } from './slots.ts';
import { workOn } from './work.ts';

/** Milliseconds between two looks for batches whose process died. */
const LOOK_MS = 10_000;
/** Batches that one process works on at a time, and those of one workspace among them. */
const AT_ONCE = 20;
const AT_ONCE_OF_WORKSPACE = 4;
/** Batches of a workspace that have not ended. */
const MOST_ACTIVE = 1000;

export type BatchEngine = {
  /** Throws RATE_LIMIT_EXCEEDED where the workspace has too many that have not ended. */
  create(batch: BatchDocument): Promise<BatchDocument>;
  /** Throws VALIDATION_FAILED for one that has ended. */
  cancel(batch: BatchDocument): Promise<BatchDocument>;
  start(): void;
  /** Gives up what is done here; another process, or the next start, goes on with it. */
  stop(): Promise<void>;
};

/** Works on batches: those that this process made, and those of processes that have died. */
export function createBatchEngine(deps: BatchDeps): BatchEngine {
  const { batches, leases, db, log } = deps;
  const slots = createSlots(deps.linesAtOnce);
  const stopping = new AbortController();
  const working = new Map<string, { workspaceId: string; lines?: LinesOfBatch; done: Promise<void> }>();
  /** Until the next look: others work on them, or they failed. */
  const left = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let again = false;

  function fullWorkspaces(): string[] {
    const counts = Map.groupBy(working.values(), ({ workspaceId }) => workspaceId);
    return [...counts].filter(([, { length }]) => length >= AT_ONCE_OF_WORKSPACE).map(([id]) => id);
  }

  /** The oldest batch of those workspaces that have the fewest here. */
  const next = () =>
    batches().findOne(
      {
        active: true,
        _id: { $nin: [...working.keys(), ...left] },
        workspaceId: { $nin: fullWorkspaces() },
      },
      { sort: { createdAt: 1 }, projection: { workspaceId: 1 } },
    );

  function begin({ _id, workspaceId }: Pick<BatchDocument, '_id' | 'workspaceId'>): void {
    const place: { workspaceId: string; lines?: LinesOfBatch; done: Promise<void> } = {
      workspaceId,
      done: Promise.resolve(),
    };
    working.set(_id, place);
    const work = () =>
      workOn(deps, _id, {
        slots,
        signal: stopping.signal,
        onLines: (lines) => {
          place.lines = lines;
        },
      });
    place.done = leases
      .hold(db, `batch ${_id}`, 0, work)
      .catch((error: unknown) => {
        left.add(_id);
        if (!stopping.signal.aborted && !isHeld(error))
          log.error({ error, batchId: _id }, 'A batch could not be worked on; it is taken up again.');
      })
      .then(() => {
        working.delete(_id);
        look();
      });
  }

  async function fill(): Promise<void> {
    do {
      again = false;
      while (working.size < AT_ONCE && !stopping.signal.aborted) {
        const found = await next();
        if (!found) break;
        begin(found);
      }
    } while (again);
  }

  function look(): void {
    if (stopping.signal.aborted) return;
    again = true;
    if (looking) return;
    looking = fill()
      .catch((error: unknown) => log.warn({ error }, 'Batches could not be looked for.'))
      .finally(() => {
        looking = null;
        if (again) look();
      });
  }

  return {
    async create(batch) {
      const { workspaceId } = batch;
      const active = await batches().countDocuments({ workspaceId, active: true }, { limit: MOST_ACTIVE });
      if (active >= MOST_ACTIVE) {
        throw new GatewayError('RATE_LIMIT_EXCEEDED', {
          message: `A workspace has at most ${MOST_ACTIVE} batches that have not ended.`,
          retryAfter: 60,
        });
      }
      await batches().insertOne(batch);
      look();
      return batch;
    },
    async cancel({ _id }) {
      const cancelling = await batches().findOneAndUpdate(
        { _id, active: true, status: { $in: ['validating', 'in_progress'] } },
        { $set: { status: 'cancelling', cancellingAt: deps.now() } },
        { returnDocument: 'after' },
      );
      working.get(_id)?.lines?.cancel();
      if (cancelling) return cancelling;
      const status = (await batches().findOne({ _id }))?.status;
      throw new GatewayError('VALIDATION_FAILED', {
        message: `Cannot cancel a batch with status '${status}'.`,
      });
    },
    start() {
      look();
      timer = setInterval(() => {
        left.clear();
        look();
      }, LOOK_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await looking;
      await Promise.all([...working.values()].map(({ done }) => done));
    },
  };
}

/** Another process works on it. */
const isHeld = (error: unknown): boolean => error instanceof GatewayError && error.code === 'IN_PROGRESS';
