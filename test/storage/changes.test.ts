import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createLogger } from '../../src/lib/logger.ts';
import { type Changes, createChanges } from '../../src/storage/changes.ts';
import { openStorage, type Storage } from '../../src/storage/connection.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

let directory: string;
let database: TestDatabase;
let storage: Storage;
let mine: Changes;
let theirs: Changes;
let heard: { mine: string[]; theirs: string[] };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-changes-'));
  database = testDatabase();
  storage = await openStorage({ dataDirectory: directory, mongodbUri: database.uri || null });
  await storage.db.createCollection('revisions');
});
afterAll(async () => {
  await storage.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

// Changes made apart know of each other only through the database, like two processes.
beforeEach(async () => {
  const log = createLogger('silent');
  [mine, theirs] = [createChanges(storage.db, log), createChanges(storage.db, log)];
  heard = { mine: [], theirs: [] };
  mine.subscribe(async (kind) => void heard.mine.push(kind));
  theirs.subscribe(async (kind) => void heard.theirs.push(kind));
  await Promise.all([mine.start(), theirs.start()]);
});
afterEach(async () => {
  await Promise.all([mine.stop(), theirs.stop()]);
});

/** What a full disk does: everything is read, and no revision can be written. */
const refuseWrites = (refused: boolean) =>
  storage.db.db?.command({ collMod: 'revisions', validator: refused ? { revision: { $lt: 0 } } : {} });

it('tells the own process at once and another one soon', async () => {
  await mine.publish('config');
  expect(heard.mine).toEqual(['config']);
  await eventually(async () => expect(heard.theirs).toEqual(['config']));
  await pause(600);
  expect(heard).toEqual({ mine: ['config'], theirs: ['config'] });
});

it('succeeds while nothing can be written, and tells the others as soon as it can', async () => {
  await refuseWrites(true);
  await mine.publish('api_key');
  await mine.publish('role');
  expect(heard.mine).toEqual(['api_key', 'role']);
  await pause(600);
  expect(heard.theirs).toEqual([]);
  await refuseWrites(false);
  await eventually(async () => expect(heard.theirs.toSorted()).toEqual(['api_key', 'role']));
});

it('fails where the own process cannot act on the change, which a later look makes good', async () => {
  let broken = true;
  mine.subscribe(async () => {
    if (broken) throw new Error('The new state could not be read.');
    heard.mine.push('read');
  });
  await expect(mine.publish('tenant')).rejects.toThrow('could not be read');
  broken = false;
  await eventually(async () => expect(heard.mine).toContain('read'));
});

it('tells at once of what changes while it tells, and of nothing before it is written', async () => {
  const before = await storage.db.collection('revisions').findOne({ _id: 'provider' as never });
  let told = 0;
  let release = () => {};
  mine.subscribe(async () => {
    told += 1;
    if (told === 1) await new Promise<void>((resolve) => (release = resolve));
  });
  const first = mine.publish('provider');
  await eventually(async () => expect(told).toBe(1));
  const others = Promise.all(Array.from({ length: 50 }, () => mine.publish('provider')));
  await pause(50);
  // Whoever came after the first telling had begun may have changed what it did not see.
  expect(told).toBe(1);
  release();
  await Promise.all([first, others]);
  expect(told).toBe(2);
  const after = await storage.db.collection('revisions').findOne({ _id: 'provider' as never });
  expect((after?.revision ?? 0) - (before?.revision ?? 0)).toBe(2);
});
