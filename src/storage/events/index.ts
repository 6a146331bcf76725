import type { Connection } from 'mongoose';
import type { Logger } from '../../lib/logger.ts';
import { nativeDb } from '../native-db.ts';
import { eventsIn } from './event.ts';
import { createEventFeed, type EventFeed } from './feed.ts';
import { createEventWriter, type StoredEventWriter } from './writer.ts';

export { type Event, type EventBatch, type EventKind, eventsIn, KEPT_BATCHES } from './event.ts';
export { createEventWriter, type StoredEventWriter } from './writer.ts';

export type Events = EventFeed & StoredEventWriter;

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
    async stop() {
      await writer.stop();
      await feed.stop();
    },
  };
}
