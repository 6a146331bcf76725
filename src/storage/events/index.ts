import type { Connection } from 'mongoose';
import type { Logger } from '../../lib/logger.ts';
import { nativeDb } from '../native-db.ts';
import { type Arrivals, arrivalsAfter, type EventPlace, newestArrival } from './arrivals.ts';
import { type Event, eventsIn } from './event.ts';
import { createEventFeed, type EventFeed } from './feed.ts';
import { createEventWriter, type StoredEventWriter } from './writer.ts';

export type { Arrivals, EventPlace } from './arrivals.ts';
export { type Event, type EventBatch, type EventKind, eventsIn, KEPT_BATCHES } from './event.ts';
export { createEventWriter, type StoredEventWriter } from './writer.ts';

/** The sequence for those who come back from time to time instead of subscribing. */
export type EventHistory = {
  newest(): Promise<EventPlace>;
  after(start: EventPlace, options: { wants: (event: Event) => boolean; limit: number }): Promise<Arrivals>;
};

export type Events = EventFeed & StoredEventWriter & EventHistory;

/**
 * Tells what happens in the installation to all its processes, by a sequence of events in the database. Every event
 * takes the same way to its subscribers, even within a process: into the sequence and out of it.
 */
export function createEvents(db: Connection, log: Logger): Events {
  const batches = () => eventsIn(nativeDb(db));
  const feed = createEventFeed(batches, log);
  const writer = createEventWriter({ batches: async () => batches(), onAppended: feed.wake, log });
  return {
    ...feed,
    append: writer.append,
    newest: () => newestArrival(batches()),
    after: (start, options) => arrivalsAfter(batches(), start, options),
    async stop() {
      await writer.stop();
      await feed.stop();
    },
  };
}
