import type { Connection } from 'mongoose';
import type { Gauge } from '../lib/gauge.ts';
import type { Logger } from '../lib/logger.ts';

/**
 * The kinds of resources that the data plane holds in memory; it must hear of each change. Of `run` processes hear that there
 * are runs at all, of `vector_store_file` that there are files to index, and of `vector_store_removal` that a file has left a store.
 */
export type ChangeKind =
  | 'run'
  | 'vector_store_file'
  | 'vector_store_removal'
  | 'organisation'
  | 'workspace'
  | 'api_key'
  | 'integration'
  | 'provider'
  | 'secret_reference'
  | 'config'
  | 'guardrail'
  | 'limit'
  | 'mcp_integration'
  | 'mcp_server'
  | 'mcp_catalogue'
  | 'mcp_session'
  | 'mcp_grant'
  | 'mcp_connection'
  | 'tenant'
  | 'service_account'
  | 'access_policy'
  | 'role'
  | 'user'
  | 'sign_in'
  | 'signing_key';

export type Changes = {
  /**
   * Call after every write of such a resource. When it resolves, this process already acts on the new state; the other
   * processes of the installation do within a second, or as soon as the database takes writes again: a write that is done
   * must not be answered as an error because telling of it failed. It rejects where this process could not read the new state.
   */
  publish(kind: ChangeKind): Promise<void>;
  /** Runs `listener` after each change, in this process or in another; `publish` waits for it. */
  subscribe(listener: (kind: ChangeKind) => Promise<void>): void;
  /** True while the database cannot be asked for changes, so that what is in memory may be old. */
  isStale(): boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
};

type Revision = { _id: ChangeKind; revision: number };

/** Milliseconds between two looks for changes: a revoked key is refused everywhere within a second. */
const POLL_INTERVAL = 250;
/** Milliseconds without an answer from the database after which memory counts as stale. */
const SILENCE_LIMIT = 3000;

/** Revision counters in the database, one per kind, that every process polls. */
export function createChanges(db: Connection, log: Logger): Changes {
  const revisions = db.collection<Revision>('revisions');
  const seen = new Map<ChangeKind, number>();
  /** Kinds whose revision could not be counted up, as on a full disk. */
  const owed = new Set<ChangeKind>();
  const listeners: ((kind: ChangeKind) => Promise<void>)[] = [];
  /** Of each kind: the telling that is under way, and the one after it, which tells of all changes that come before it begins. */
  const running = new Map<ChangeKind, Promise<void>>();
  const next = new Map<ChangeKind, Promise<void>>();
  let stale = false;
  let answeredAt = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> = Promise.resolve();

  const notify = async (kind: ChangeKind) => {
    for (const listener of listeners) await listener(kind);
  };

  /** The new revision of a kind; null where the database takes no write now, and then a later poll counts it. */
  async function countUp(kind: ChangeKind): Promise<number | null> {
    const wasOwed = owed.delete(kind);
    try {
      const updated = await revisions.findOneAndUpdate(
        { _id: kind },
        { $inc: { revision: 1 } },
        { upsert: true, returnDocument: 'after' },
      );
      return updated?.revision ?? null;
    } catch (error) {
      if (!wasOwed && owed.size === 0)
        log.warn({ error, kind }, 'Other processes cannot be told of a change yet.');
      owed.add(kind);
      return null;
    }
  }

  async function poll(): Promise<void> {
    try {
      for (const kind of [...owed]) await countUp(kind);
      for (const { _id: kind, revision } of await revisions.find({}).toArray()) {
        if ((seen.get(kind) ?? 0) >= revision) continue;
        await notify(kind);
        seen.set(kind, Math.max(seen.get(kind) ?? 0, revision));
      }
      if (stale) log.info('The database answers again; the data plane is up to date.');
      stale = false;
      answeredAt = Date.now();
    } catch (error) {
      if (!stale)
        log.warn({ error }, 'The database does not answer; the data plane goes on with what it has.');
      stale = true;
    }
  }

  const schedule = () => {
    timer = setTimeout(() => {
      polling = poll().then(() => {
        if (timer) schedule();
      });
    }, POLL_INTERVAL);
    timer.unref();
  };

  async function tell(kind: ChangeKind): Promise<void> {
    const revision = await countUp(kind);
    await notify(kind);
    // This process skips its own revision only when it directly follows the last one it knows: otherwise another
    // process wrote in between, and the poller has to look.
    if (revision === (seen.get(kind) ?? 0) + 1) seen.set(kind, revision);
  }

  function begin(kind: ChangeKind): Promise<void> {
    next.delete(kind);
    const telling = tell(kind).finally(() => {
      if (running.get(kind) === telling) running.delete(kind);
    });
    running.set(kind, telling);
    return telling;
  }

  return {
    publish(kind) {
      const before = running.get(kind);
      if (!before) return begin(kind);
      const after = () => begin(kind);
      const own = next.get(kind) ?? before.then(after, after);
      next.set(kind, own);
      return own;
    },
    subscribe(listener) {
      listeners.push(listener);
    },
    // A poll that hangs gives no answer, so the time since the last answer counts.
    isStale: () => stale || (timer !== undefined && Date.now() - answeredAt > SILENCE_LIMIT),
    async start() {
      for (const { _id, revision } of await revisions.find({}).toArray()) seen.set(_id, revision);
      answeredAt = Date.now();
      schedule();
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await polling;
    },
  };
}

/** Tells whether this process answers from memory alone, since the database cannot be asked for changes. */
export const changesGauge = (changes: Pick<Changes, 'isStale'>): Gauge => ({
  name: 'sluice_directory_stale',
  help: '1 while the database does not answer and memory serves.',
  aggregator: 'max',
  read: () => Number(changes.isStale()),
});
