import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Collection, MongoClient } from 'mongodb';
import { createLogger } from '../../src/lib/logger.ts';
import { startEmbedded } from '../../src/storage/embedded/index.ts';
import { createEventFeed, type EventFeed } from '../../src/storage/events/feed.ts';
import { type EventBatch, eventsIn, KEPT_BATCHES } from '../../src/storage/events/index.ts';
import { createEventWriter, type StoredEventWriter } from '../../src/storage/events/writer.ts';
import { testDatabase } from '../support/database.ts';

const log = createLogger('silent');
let directory: string;
let server: Awaited<ReturnType<typeof startEmbedded>> | null = null;
let database: ReturnType<typeof testDatabase>;
let client: MongoClient;
let batches: Collection<EventBatch>;
let running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-events-'));
  database = testDatabase();
  if (!database.uri) server = await startEmbedded({ directory, databaseName: 'events' });
  client = await new MongoClient(server?.uri ?? database.uri).connect();
  batches = eventsIn(client.db());
});
afterAll(async () => {
  await client.close();
  await server?.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => batches.deleteMany({}));
afterEach(async () => {
  for (const part of running) await part.stop();
  running = [];
});

function writer(collection = batches, onAppended = () => {}): StoredEventWriter {
  const made = createEventWriter({ batches: async () => collection, onAppended, log });
  running.push(made);
  return made;
}

function feed(collection = batches): EventFeed {
  const made = createEventFeed(() => collection, log);
  running.push(made);
  return made;
}

const event = (...ids: string[]) => ({ kind: 'log' as const, organisationId: 'o', workspaceId: 'w', ids });
const all = () => true;
const numbers = async () => (await batches.find({}).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

async function take(events: AsyncIterator<{ ids: string[] }>, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { value, done } = await events.next();
    if (done) break;
    ids.push(...value.ids);
  }
  return ids;
}

/** A collection of which some calls do something else. */
const withCalls = (calls: Partial<Record<keyof Collection<EventBatch>, unknown>>): Collection<EventBatch> =>
  new Proxy(batches, {
    get: (target, name) => Reflect.get(name in calls ? calls : target, name) as unknown,
  });

describe('the sequence of events', () => {
  it('reaches every reader once and in one order, however many write at the same time', async () => {
    const readers = [feed(), feed(), feed()];
    const streams = await Promise.all(readers.map((reader) => reader.subscribe('log', all)));
    const wakeAll = () => {
      for (const reader of readers) reader.wake();
    };
    const writers = Array.from({ length: 8 }, () => writer(batches, wakeAll));
    const expected = writers.flatMap((one, at) =>
      Array.from({ length: 25 }, (_, index) => {
        const id = `${at}-${index}`;
        setTimeout(() => one.append(event(id)), index * 20);
        return id;
      }),
    );
    const [first = [], ...others] = await Promise.all(streams.map((stream) => take(stream, 200)));
    expect(first.toSorted()).toEqual(expected.toSorted());
    for (const other of others) expect(other).toEqual(first);
    const used = await numbers();
    expect(used).toEqual(used.map((_, at) => at + 1));
  });

  it('goes on where it ended, whoever writes next', async () => {
    const first = writer();
    first.append(event('a'));
    await first.stop();
    const second = writer();
    second.append(event('b'));
    await second.stop();
    expect(
      (await batches.find({}).sort({ _id: 1 }).toArray()).map(({ _id, events }) => [_id, events[0]?.ids]),
    ).toEqual([
      [1, ['a']],
      [2, ['b']],
    ]);
  });

  it('puts what happens together into one batch, and much of it into several', async () => {
    const one = writer();
    one.append(event('a'));
    one.append({ ...event('x'), workspaceId: 'other' });
    one.append(event(...Array.from({ length: 700 }, (_, at) => String(at))));
    await one.stop();
    const stored = await batches.find({}).sort({ _id: 1 }).toArray();
    expect(
      stored.map(({ events }) => events.map(({ workspaceId, ids }) => [workspaceId, ids.length])),
    ).toEqual([
      [['w', 500]],
      [
        ['w', 201],
        ['other', 1],
      ],
    ]);
  });

  it('keeps the newest and removes the rest', async () => {
    const filler = Array.from({ length: KEPT_BATCHES + 99 }, (_, at) => ({
      _id: at + 1,
      token: String(at),
      events: [],
      at: new Date(),
    }));
    await batches.insertMany(filler);
    const one = writer();
    one.append(event('a'));
    await one.stop();
    const kept = await numbers();
    expect(kept).toHaveLength(KEPT_BATCHES);
    expect(kept.at(-1)).toBe(KEPT_BATCHES + 100);
  });

  it('has an event once, though the answer to its write got lost', async () => {
    let lost = false;
    const losing = withCalls({
      insertOne: async (batch: EventBatch) => {
        const inserted = await batches.insertOne(batch);
        if (lost) return inserted;
        lost = true;
        throw new Error('The connection broke.');
      },
    });
    const stream = await feed().subscribe('log', all);
    const one = writer(losing);
    one.append(event('a'));
    expect(await take(stream, 1)).toEqual(['a']);
    one.append(event('b'));
    expect(await take(stream, 1)).toEqual(['b']);
    expect(await numbers()).toEqual([1, 2]);
  });
});

describe('a reader', () => {
  it('hears of what its subscription asks for, from then on', async () => {
    const before = writer();
    before.append(event('before'));
    await before.stop();
    const reader = feed();
    const stream = await reader.subscribe('audit_entry', ({ workspaceId }) => workspaceId === 'mine');
    const one = writer(batches, reader.wake);
    one.append(event('a log'));
    one.append({ ...event('theirs'), kind: 'audit_entry' });
    one.append({ ...event('mine'), kind: 'audit_entry', workspaceId: 'mine' });
    expect(await take(stream, 1)).toEqual(['mine']);
  });

  it('asks nothing of the database while nobody listens', async () => {
    let reads = 0;
    const counting = withCalls({
      find: (...given: Parameters<typeof batches.find>) => {
        reads++;
        return batches.find(...given);
      },
    });
    const reader = feed(counting);
    const stream = await reader.subscribe('log', all);
    const one = writer(batches, reader.wake);
    one.append(event('a'));
    expect(await take(stream, 1)).toEqual(['a']);
    expect(reads).toBeGreaterThan(0);
    await stream.return?.();
    const done = reads;
    one.append(event('b'));
    await one.stop();
    expect(reads).toBe(done);
  });

  it('ends its subscriptions when what it should have read is gone', async () => {
    const stream = await feed().subscribe('log', all);
    await batches.insertOne({ _id: 7, token: 't', events: [event('a')], at: new Date() });
    await expect(stream.next()).rejects.toMatchObject({
      code: 'EVENTS_MISSED',
      message: expect.stringContaining('Subscribe again'),
    });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  it('ends a subscription that is read too slowly, and no other', async () => {
    const reader = feed();
    const slow = await reader.subscribe('log', all);
    const fast = await reader.subscribe('log', all);
    const one = writer(batches, reader.wake);
    const ids = Array.from({ length: 10_001 }, (_, at) => String(at));
    one.append(event(...ids));
    expect(await take(fast, 10_001)).toEqual(ids);
    await expect(slow.next()).rejects.toMatchObject({ message: expect.stringContaining('too slowly') });
  });

  it('goes on when the database answers again', async () => {
    let down = false;
    const failing = withCalls({
      find: (...given: Parameters<typeof batches.find>) => {
        if (down) throw new Error('The database is down.');
        return batches.find(...given);
      },
    });
    const reader = feed(failing);
    const stream = await reader.subscribe('log', all);
    down = true;
    const one = writer(batches, () => {
      reader.wake();
      down = false;
    });
    one.append(event('a'));
    expect(await take(stream, 1)).toEqual(['a']);
  });

  it('lets go of a subscription that is left in the middle of waiting', async () => {
    const reader = feed();
    const stream = await reader.subscribe('log', all);
    const pending = stream.next();
    await stream.return?.();
    expect(await pending).toEqual({ value: undefined, done: true });
  });
});
