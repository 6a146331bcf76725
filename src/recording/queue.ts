import type { Logger } from '../lib/logger.ts';
import type { Spool } from './spool.ts';

export type Queue<T> = {
  /** Takes an item without waiting; it is in the database or on disk within about FLUSH_INTERVAL. */
  add(item: T): void;
  /** Writes what is waiting; resolves when everything added before is durable. */
  drain(): Promise<void>;
  start(): void;
  /** Drains and ends. */
  stop(): Promise<void>;
  counters: QueueCounters;
};

export type QueueCounters = { waiting: number; written: number; spooled: number; dropped: number };

/** Milliseconds between looks at the queue when nobody drains it: the most that waits, beside the write in progress. */
const FLUSH_INTERVAL = 200;
/** Milliseconds between attempts to bring the spool into the database. */
const REPLAY_INTERVAL = 5000;
const BATCH = 1000;
/** Items that may wait in memory; what comes on top goes to the spool. */
const CAPACITY = 20_000;

/**
 * A bounded queue in front of batched durable writes. `prepare` turns the items as they came into the records that are
 * stored, away from the request that added them. A batch that `write` refuses goes to the spool, never back to the queue.
 */
export function createQueue<Item, Stored>(options: {
  name: string;
  prepare: (items: Item[]) => Promise<Stored[]>;
  write: (records: Stored[]) => Promise<void>;
  spool: Spool<Stored>;
  log: Logger;
}): Queue<Item> {
  const { name, prepare, write, spool, log } = options;
  const counters: QueueCounters = { waiting: 0, written: 0, spooled: 0, dropped: 0 };
  let waiting: Item[] = [];
  let flushing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let replayAt = 0;
  // True from the first refused batch until the spool was replayed: then the database is asked once per interval only.
  let behind = true;

  async function store(batch: Item[], direct: boolean): Promise<void> {
    const records = await prepare(batch);
    if (direct) {
      try {
        await write(records);
        counters.written += records.length;
        return;
      } catch (error) {
        behind = true;
        log.warn(
          { error, queue: name, records: records.length },
          'Could not write records; spooling them to disk.',
        );
      }
    }
    await spoolRecords(records);
  }

  /** To disk in one file or, when one of them cannot be written, one by one: what is lost is that one alone. */
  async function spoolRecords(records: Stored[]): Promise<void> {
    try {
      await spool.append(records);
      counters.spooled += records.length;
    } catch (error) {
      if (records.length > 1) {
        for (const record of records) await spoolRecords([record]);
        return;
      }
      counters.dropped += records.length;
      log.error({ error, queue: name }, 'A record was lost: neither database nor disk took it.');
    }
  }

  async function replay(): Promise<void> {
    replayAt = Date.now() + REPLAY_INTERVAL;
    try {
      await spool.replay(async (records) => {
        await write(records);
        counters.written += records.length;
      });
      behind = false;
    } catch (error) {
      log.warn({ error, queue: name }, 'The spool could not be written to the database yet.');
    }
  }

  async function flush(): Promise<void> {
    if (behind && Date.now() >= replayAt) await replay();
    while (waiting.length > 0) {
      // Beyond capacity the database is the bottleneck, so the backlog goes to disk.
      const direct = !behind && waiting.length <= CAPACITY;
      const batch = waiting.splice(0, BATCH);
      counters.waiting = waiting.length;
      try {
        await store(batch, direct);
      } catch (error) {
        counters.dropped += batch.length;
        log.error(
          { error, queue: name, records: batch.length },
          'Records were lost: they could not be prepared for storage.',
        );
      }
    }
  }

  const flushOnce = (): Promise<void> => {
    flushing ??= flush().finally(() => {
      flushing = null;
    });
    return flushing;
  };

  const schedule = () => {
    timer = setTimeout(() => {
      void flushOnce().then(() => {
        if (timer) schedule();
      });
    }, FLUSH_INTERVAL);
    timer.unref();
  };

  async function drain(): Promise<void> {
    // A flush in progress may have taken its last look before the latest item came.
    await flushOnce();
    await flushOnce();
  }

  return {
    counters,
    add(item) {
      waiting.push(item);
      counters.waiting = waiting.length;
    },
    drain,
    start: schedule,
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await drain();
      waiting = [];
    },
  };
}
