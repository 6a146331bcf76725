import { copyFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { startEmbedded } from '../../../src/storage/embedded/index.ts';
import { errorOf, type Running, startServer, temporaryDirectory } from './support.ts';

let running: Running;
const target = temporaryDirectory();
const file = join(target.path, 'copy.sqlite');

beforeAll(async () => {
  running = await startServer();
});
afterAll(async () => {
  await running.stop();
  target.remove();
});

const backup = (path: unknown): Promise<Document> => running.client.db('admin').command({ backup: path });

/** Opens a copy in a directory of its own, as somebody who restores it would. */
async function restore(): Promise<{ n: number[]; indexes: number[]; stop(): Promise<void> }> {
  const directory = temporaryDirectory();
  copyFileSync(file, join(directory.path, 'data.sqlite'));
  const server = await startEmbedded({ directory: directory.path });
  const client = await MongoClient.connect(server.uri);
  const items = client.db().collection('items');
  const n = (await items.find().sort({ n: 1 }).toArray()).map((item) => item.n as number);
  const byIndex = await items
    .find({ n: { $gte: 0 } })
    .hint('n_1')
    .toArray();
  return {
    n,
    indexes: byIndex.map((item) => item.n as number),
    async stop() {
      await client.close();
      await server.stop();
      directory.remove();
    },
  };
}

test('a backup taken while clients write holds one moment, with everything acknowledged before it', async () => {
  const items = running.db.collection('items');
  await items.createIndex({ n: 1 }, { unique: true });
  await items.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(200) })));
  let n = 20_000;
  let writing = true;
  const writer = (async () => {
    while (writing) await items.insertOne({ n: n++ });
  })();
  const acknowledged = n;
  const { bytes } = await backup(file);
  writing = false;
  await writer;
  expect(bytes).toBe(statSync(file).size);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const restored = await restore();
  expect(restored.n).toEqual(Array.from({ length: restored.n.length }, (_, i) => i));
  expect(restored.n.length).toBeGreaterThanOrEqual(acknowledged);
  expect(restored.indexes).toEqual(restored.n);
  await restored.stop();
});

test('a backup is refused with a reason, and leaves nothing half-done', async () => {
  const existing = join(target.path, 'taken');
  copyFileSync(process.execPath, existing);
  const before = statSync(existing).size;
  expect((await errorOf(backup(existing))).message).toMatch(/exists already/);
  expect(statSync(existing).size).toBe(before);
  expect((await errorOf(backup('relative.sqlite'))).message).toMatch(/absolute path/);
  expect((await errorOf(backup(1))).code).toBe(14);
  const missing = join(target.path, 'missing', 'copy.sqlite');
  expect((await errorOf(backup(missing))).message).toMatch(/the backup failed: ENOENT/);
  expect(existsSync(`${missing}.partial`)).toBe(false);
  expect((await errorOf(running.db.command({ backup: file }))).code).toBe(13);
});
