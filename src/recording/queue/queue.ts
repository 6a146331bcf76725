import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../lib/logger.ts';
import type { Spool } from './spool.ts';

export type Queue<T> = {
  /** Takes an item without waiting; it is in the database or on disk within about FLUSH_INTERVAL. */
  add(item: T): void;
  /** Writes what is waiting; resolves when everything added before is durable, however long neither database nor disk take it. */
  drain(): Promise<void>;
  start(): void;
  /** Drains in a hurry and ends. */
  stop(): Promise<void>;
  counters: QueueCounters;
};

export type ImpatientQueue<T> = Queue<T> & {
  /** From now on nothing is tried again and again: what neither database nor disk takes is given up. */
  hurry(): void;
};

export type QueueCounters = { waiting: number; written: number; spooled: number; dropped: number };

/** Milliseconds between looks at the queue when nobody drains it: the most that waits, beside the write in progress. */
const FLUSH_INTERVAL = 200;
/** Milliseconds before records that neither database nor disk took are tried again: twice as many each time, up to this. */
const FIRST_RETRY = 100;
/** Milliseconds between attempts to bring the spool into the database. */
const REPLAY_INTERVAL = 5000;
const BATCH = 1000;
/** Items that may wait in memory; what comes on top goes to the spool. */
const CAPACITY = 20_000;

/**
 * A bounded queue in front of batched durable writes. `prepare` turns the items as they came into the records that are
 * stored, away from the request that added them. A batch that `write` refuses goes to the spool; one that the disk refuses as
 * well is tried again and again, and whoever adds items sees by `waiting` that they do not get away.
 */
export function createQueue<Item, Stored>(options: {
  name: string;
  prepare: (items: Item[]) => Promise<Stored[]>;
  write: (records: Stored[]) => Promise<void>;
  spool: Spool<Stored>;
  /** Whether a record that has to be given up stands in another durable place. */
  isElsewhere?: (record: Stored) => boolean;
  log: Logger;
}): ImpatientQueue<Item> {
  const { name, prepare, write, spool, isElsewhere = () => false, log } = options;
  const counters: QueueCounters = { waiting: 0, written: 0, spooled: 0, dropped: 0 };
  let waiting: Item[] = [];
  let flushing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let replayAt = 0;
  // True from the first refused batch until the spool was replayed: then the database is asked once per interval only.
  let behind = true;
  const hurrying = new AbortController();

  /** Resolves when the records are in the database or on disk, or given up in a hurry. */
  async function keep(records: Stored[], direct: boolean): Promise<void> {
    let left = await attempt(records, direct);
    for (let delay = FIRST_RETRY; left.length > 0; delay = Math.min(2 * delay, REPLAY_INTERVAL)) {
      const isLast = hurrying.signal.aborted;
      if (!isLast) await sleep(delay, null, { signal: hurrying.signal }).catch(() => null);
      left = await attempt(left, true);
      if (isLast) return giveUp(left);
    }
  }

  function giveUp(records: Stored[]): void {
    const lost = records.filter((record) => !isElsewhere(record)).length;
    counters.dropped += lost;
    if (lost > 0)
      log.error({ queue: name, records: lost }, 'Records were lost: neither database nor disk took them.');
  }

  /** Answers the records that neither database nor disk took. */
  async function attempt(records: Stored[], direct: boolean): Promise<Stored[]> {
    if (direct) {
      try {
        await write(records);
        counters.written += records.length;
        return [];
      } catch (error) {
        behind = true;
        log.warn(
          { error, queue: name, records: records.length },
          'Could not write records; spooling them to disk.',
        );
      }
    }
    return spoolRecords(records);
  }

  /**
   * To disk in one file or, when one of them cannot be written, one by one: what is lost is that one alone. Answers those for
   * which the disk is to blame.
   */
  async function spoolRecords(records: Stored[]): Promise<Stored[]> {
    try {
      await spool.append(records);
      counters.spooled += records.length;
      return [];
    } catch (error) {
      if (isOfSystem(error)) {
        log.error({ error, queue: name, records: records.length }, 'The disk does not take records either.');
        return records;
      }
      if (records.length > 1) {
        const left: Stored[] = [];
        for (const record of records) left.push(...(await spoolRecords([record])));
        return left;
      }
      counters.dropped += records.length;
      log.error({ error, queue: name }, 'A record was lost: it cannot be written.');
      return [];
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
      const records = await prepared(batch);
      if (records) await keep(records, direct);
    }
  }

  async function prepared(batch: Item[]): Promise<Stored[] | null> {
    try {
      return await prepare(batch);
    } catch (error) {
      counters.dropped += batch.length;
      log.error(
        { error, queue: name, records: batch.length },
        'Records were lost: they could not be prepared for storage.',
      );
      return null;
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
    hurry: () => hurrying.abort(),
    async stop() {
      hurrying.abort();
      clearTimeout(timer);
      timer = undefined;
      await drain();
      waiting = [];
    },
  };
}

/** True for what a system call refused, such as a disk that is full; a record is not to blame for that. */
const isOfSystem = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.syscall !== undefined;
