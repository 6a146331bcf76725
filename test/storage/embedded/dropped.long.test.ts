import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { startEmbedded } from '../../../src/storage/embedded/index.ts';
import { cleared, leftovers, nothing } from './fixtures/entries.ts';
import { type Running, startServer } from './support.ts';

let running: Running;
let large: Collection<Document>;
let other: Collection<Document>;

beforeEach(async () => {
  running = await startServer({ ttlInterval: 100 });
  large = running.db.collection('large');
  other = running.db.collection('other');
});
afterEach(() => running.stop());

async function fill(total: number): Promise<void> {
  await large.createIndex({ n: 1 });
  await other.insertOne({ _id: 'counter' as never, n: 0 });
  for (let first = 0; first < total; first += 10_000) {
    const documents = Array.from({ length: 10_000 }, (_, n) => ({ n: first + n, pad: 'x'.repeat(800) }));
    await large.insertMany(documents);
  }
}

const fileSize = (): number => statSync(join(running.directory, 'data.sqlite')).size;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

test('what is dropped while others write is cleared away, and its space is given back', async () => {
  await fill(60_000);
  await large.drop();
  expect(leftovers(running.directory).trash).toBeGreaterThan(0);
  let done = false;
  let counted = 0;
  const writing = (async () => {
    while (!done) {
      await other.updateOne({ _id: 'counter' as never }, { $inc: { n: 1 } });
      expect((await other.findOne())?.n).toBe(++counted);
    }
  })();
  // A collection of the same name has nothing to do with the one that is cleared away.
  await large.insertMany([{ n: 1 }, { n: 2 }]);
  await large.createIndex({ n: 1 }, { unique: true });
  expect(await cleared(running.directory, 20_000)).toEqual(nothing);
  done = true;
  await writing;
  expect(counted).toBeGreaterThan(0);
  expect(
    await large
      .find({}, { projection: { _id: 0 } })
      .hint('n_1')
      .toArray(),
  ).toEqual([{ n: 1 }, { n: 2 }]);

  // The file is cut when its log is copied, for which something must be written.
  const deadline = Date.now() + 40_000;
  while (fileSize() > 40e6 && Date.now() < deadline) {
    await other.insertOne({ pad: 'x'.repeat(500_000) });
    await pause();
  }
  expect(fileSize()).toBeLessThan(40e6);
}, 120_000);

test('a stop in the middle of the clearing is made up for by the next start', async () => {
  await fill(40_000);
  await large.drop();
  await running.server.stop();
  expect(leftovers(running.directory).trash).toBeGreaterThan(0);
  const server = await startEmbedded({ directory: running.directory });
  const client = await MongoClient.connect(server.uri);
  const again = client.db().collection<Document>('large');
  expect(await again.countDocuments()).toBe(0);
  await again.insertOne({ n: 1 });
  expect(await cleared(running.directory, 20_000)).toEqual(nothing);
  expect(await again.countDocuments({ n: { $gte: 0 } })).toBe(1);
  await client.close();
  await server.stop();
}, 120_000);
