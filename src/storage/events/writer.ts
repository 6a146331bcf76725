import type { Collection } from 'mongodb';
import { uuid } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { isDuplicateBatch } from '../duplicates.ts';
import { type Event, type EventBatch, KEPT_BATCHES, newestNumber } from './event.ts';

export type StoredEventWriter = {
  /** Takes an event without waiting; it is in the sequence a moment later. */
  append(event: Event): void;
  /** Writes what still waits, if the store takes it. */
  stop(): Promise<void>;
};

/** Milliseconds between two batches: events of that time travel in one. */
const INTERVAL = 200;
/** Milliseconds before another try when the store did not take a batch. */
const RETRY_INTERVAL = 1000;
/** The most ids of one batch, so that it stays a small document. */
const BATCH_IDS = 500;
/** The most ids that wait for a store that does not answer; subscribers never hear of any beyond these. */
const CAPACITY = 20_000;
/** At each multiple of this number, its writer removes the batches that are no longer kept. */
const PRUNE_EVERY = 100;

/** Appends to the sequence of events, together with the writers of other threads and processes. */
export function createEventWriter(options: {
  batches: () => Promise<Collection<EventBatch>>;
  onAppended: () => void;
  log: Logger;
}): StoredEventWriter {
  const { batches, onAppended, log } = options;
  let waiting = new Map<string, Event>();
  let waitingIds = 0;
  const unwritten: Omit<EventBatch, '_id'>[] = [];
  /** The greatest number that this writer knows of. */
  let last: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let writtenAt = 0;
  let stopped = false;

  function append(event: Event): void {
    if (waitingIds + event.ids.length > CAPACITY) {
      log.warn({ event: event.kind, ids: event.ids.length }, 'Too many events wait: subscribers miss these.');
      return;
    }
    const topic = `${event.kind} ${event.organisationId} ${event.workspaceId}`;
    const known = waiting.get(topic);
    if (known) known.ids.push(...event.ids);
    else waiting.set(topic, { ...event, ids: [...event.ids] });
    waitingIds += event.ids.length;
    schedule(Math.max(0, writtenAt + INTERVAL - Date.now()));
  }

  function schedule(delay: number): void {
    if (timer || writing || stopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      writing = writeAll().then((done) => {
        writing = null;
        if (!done) schedule(RETRY_INTERVAL);
        else if (waiting.size > 0) schedule(INTERVAL);
      });
    }, delay);
    timer.unref();
  }

  /** Writes what waits; false when the store did not take all of it, so that it has to be tried again. */
  async function writeAll(): Promise<boolean> {
    unwritten.push(...batchesOf(waiting));
    waiting = new Map();
    try {
      while (unwritten[0]) {
        const number = await insert(await batches(), unwritten[0]);
        waitingIds -= unwritten[0].events.reduce((sum, { ids }) => sum + ids.length, 0);
        unwritten.shift();
        if (number % PRUNE_EVERY === 0) await prune(number);
      }
      onAppended();
      return true;
    } catch (error) {
      log.warn({ error, batches: unwritten.length }, 'Events could not be written yet.');
      return false;
    } finally {
      writtenAt = Date.now();
    }
  }

  /** Takes the next number; where another writer was faster, the one after it. */
  async function insert(collection: Collection<EventBatch>, batch: Omit<EventBatch, '_id'>): Promise<number> {
    for (;;) {
      last ??= await newestNumber(collection);
      const _id = last + 1;
      try {
        await collection.insertOne({ _id, ...batch });
      } catch (error) {
        if (!isDuplicateBatch(error)) throw error;
        // The number is taken: by another writer or, when the answer to an earlier try got lost, by this batch itself.
        if (!(await collection.findOne({ _id, token: batch.token }))) {
          last = await newestNumber(collection);
          continue;
        }
      }
      last = _id;
      return _id;
    }
  }

  async function prune(number: number): Promise<void> {
    await (await batches()).deleteMany({ _id: { $lte: number - KEPT_BATCHES } });
  }

  return {
    append,
    async stop() {
      clearTimeout(timer);
      stopped = true;
      await writing;
      if (waiting.size > 0 || unwritten.length > 0) await writeAll();
    },
  };
}

/** The events, cut so that no batch has more ids than a small document holds. */
function batchesOf(waiting: Map<string, Event>): Omit<EventBatch, '_id'>[] {
  const batches: Omit<EventBatch, '_id'>[] = [];
  let room = 0;
  for (const event of waiting.values()) {
    for (let start = 0; start < event.ids.length; ) {
      let batch = batches.at(-1);
      if (!batch || room === 0) {
        batch = { token: uuid(), events: [], at: new Date() };
        batches.push(batch);
        room = BATCH_IDS;
      }
      const ids = event.ids.slice(start, start + room);
      batch.events.push({ ...event, ids });
      start += ids.length;
      room -= ids.length;
    }
  }
  return batches;
}
