import type { Collection } from 'mongodb';
import { GatewayError } from '../../errors/index.ts';
import { type Event, type EventBatch, newestNumber } from './event.ts';

/** A place in the sequence: `taken` ids of the batch after `number` are behind it. */
export type EventPlace = { number: number; taken: number };

/** What became visible behind a place, and where it ends. */
export type Arrivals = { ids: string[]; end: EventPlace; hasMore: boolean };

const PAGE = 100;

/** The place behind all that is visible now. */
export const newestArrival = async (batches: Collection<EventBatch>): Promise<EventPlace> => ({
  number: await newestNumber(batches),
  taken: 0,
});

/**
 * The next ids of wanted events, at most `limit`, in the order in which they became visible. Throws EVENTS_MISSED where what
 * came after the place is kept no longer, or the place is of another sequence.
 */
export async function arrivalsAfter(
  batches: Collection<EventBatch>,
  start: EventPlace,
  { wants, limit }: { wants: (event: Event) => boolean; limit: number },
): Promise<Arrivals> {
  const page = await batches
    .find({ _id: { $gt: start.number } })
    .sort({ _id: 1 })
    .limit(PAGE)
    .toArray();
  const [first] = page;
  if (first ? first._id > start.number + 1 : start.number > (await newestNumber(batches))) {
    throw new GatewayError('EVENTS_MISSED', {
      message:
        'What came after this place is kept no longer. Begin anew, and read the time between as a list.',
      param: 'after',
    });
  }
  const ids: string[] = [];
  for (const { _id, events } of page) {
    const wanted = events.filter(wants).flatMap((event) => event.ids);
    const skipped = _id === start.number + 1 ? start.taken : 0;
    const room = limit - ids.length;
    ids.push(...wanted.slice(skipped, skipped + room));
    if (wanted.length - skipped <= room) continue;
    return { ids, end: { number: _id - 1, taken: skipped + room }, hasMore: true };
  }
  return {
    ids,
    end: { number: page.at(-1)?._id ?? start.number, taken: 0 },
    hasMore: page.length === PAGE,
  };
}
