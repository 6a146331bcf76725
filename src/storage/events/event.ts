import type { Collection, Db } from 'mongodb';

/** The kinds of events: a log or an audit entry was added, an alarm of a limit raised. */
export type EventKind = 'log' | 'audit_entry' | 'limit_alarm';

/** Something that became visible in the store: where it belongs, and the ids of its documents. */
export type Event = {
  kind: EventKind;
  organisationId: string;
  /** Null for an event that concerns the whole organisation. */
  workspaceId: string | null;
  ids: string[];
};

/**
 * One place in the sequence. Numbers have no gaps, and a number is never visible before the one below it: whoever has
 * read up to n asks for what is greater than n and misses nothing.
 */
export type EventBatch = {
  _id: number;
  /** The id of the try, by which a writer recognises its own batch when it never got the answer. */
  token: string;
  events: Event[];
  at: Date;
};

/** How many batches are kept: the last ones carry the numbers over a restart, and a reader may be that far behind. */
export const KEPT_BATCHES = 2000;

export const eventsIn = (db: Db): Collection<EventBatch> => db.collection<EventBatch>('events');

/** The greatest number in use; 0 before the first. */
export async function newestNumber(batches: Collection<EventBatch>): Promise<number> {
  const newest = await batches.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
  return newest?._id ?? 0;
}
