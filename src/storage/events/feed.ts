import type { Collection } from 'mongodb';
import { GatewayError } from '../../errors/index.ts';
import { type Channel, createChannel } from '../../lib/channel.ts';
import type { Logger } from '../../lib/logger.ts';
import { type Event, type EventBatch, type EventKind, newestNumber } from './event.ts';

export type EventFeed = {
  /** The events of a kind from now on that `wants` lets through, each once and in the order of the sequence. */
  subscribe(kind: EventKind, wants: (event: Event) => boolean): Promise<AsyncIterableIterator<Event>>;
  /** Looks for new events at once: a writer of this process has just appended some. */
  wake(): void;
  stop(): Promise<void>;
};

type Subscriber = {
  kind: EventKind;
  wants: (event: Event) => boolean;
  /** The newest number when the subscription began. */
  from: number;
  channel: Channel<Event>;
};

const POLL_INTERVAL = 300;
const PAGE = 100;
/**
 * The most ids that may wait for one subscriber: enough for several bursts. They are in memory once, however many
 * subscribers wait for them.
 */
const SUBSCRIBER_CAPACITY = 10_000;

/** Reads the sequence of events for the subscribers of this process; asks nothing while there are none. */
export function createEventFeed(batches: () => Collection<EventBatch>, log: Logger): EventFeed {
  const subscribers = new Set<Subscriber>();
  /** The number up to which everything was delivered. */
  let position = 0;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | null = null;
  let again = false;
  let failing = false;

  function poll(): Promise<void> {
    again = true;
    polling ??= read().finally(() => {
      polling = null;
      schedule();
    });
    return polling;
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (subscribers.size > 0) timer = setTimeout(poll, POLL_INTERVAL).unref();
  }

  async function read(): Promise<void> {
    try {
      while (again && subscribers.size > 0) {
        again = false;
        const page = await batches()
          .find({ _id: { $gt: position } })
          .sort({ _id: 1 })
          .limit(PAGE)
          .toArray();
        for (const batch of page) deliver(batch);
        if (page.length === PAGE) again = true;
      }
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ error }, 'Events could not be read; subscriptions wait for the database.');
      failing = true;
    }
  }

  function deliver(batch: EventBatch): void {
    // This batch was read for subscribers that have left; the position has moved on for others.
    if (batch._id <= position) return;
    const missed = batch._id > position + 1;
    position = batch._id;
    if (missed) {
      log.warn({ upTo: batch._id }, 'Events were removed before they were read; subscriptions end.');
      for (const subscriber of [...subscribers]) {
        if (batch._id > subscriber.from + 1)
          end(subscriber, 'Events were missed while the database was away.');
      }
    }
    for (const event of batch.events) {
      for (const subscriber of [...subscribers]) offer(subscriber, batch._id, event);
    }
  }

  function offer(subscriber: Subscriber, number: number, event: Event): void {
    const { kind, wants, from, channel } = subscriber;
    if (event.kind !== kind || number <= from || !wants(event)) return;
    if (channel.push(event, event.ids.length)) return;
    end(
      subscriber,
      `The subscriber reads too slowly: more than ${SUBSCRIBER_CAPACITY} events waited for it.`,
    );
  }

  const end = ({ channel }: Subscriber, reason: string) =>
    channel.fail(new GatewayError('EVENTS_MISSED', { message: `${reason} Subscribe again.` }));

  return {
    async subscribe(kind, wants) {
      const from = await newestNumber(batches());
      if (subscribers.size === 0) position = from;
      const channel = createChannel<Event>(SUBSCRIBER_CAPACITY, () => {
        subscribers.delete(subscriber);
        if (subscribers.size === 0) schedule();
      });
      const subscriber = { kind, wants, from, channel };
      subscribers.add(subscriber);
      if (!timer && !polling) schedule();
      return channel.values;
    },
    wake() {
      if (subscribers.size > 0) void poll();
    },
    async stop() {
      for (const { channel } of [...subscribers]) void channel.values.return?.();
      clearTimeout(timer);
      await polling;
    },
  };
}
