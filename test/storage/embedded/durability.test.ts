import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { startEmbedded } from '../../../src/storage/embedded/index.ts';
import { temporaryDirectory } from './support.ts';

const script = new URL('./fixtures/server-process.ts', import.meta.url).pathname;

async function startProcess(directory: string): Promise<{ child: ChildProcess; uri: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stdout } = child;
  if (!stdout) throw new Error('no output');
  const [line] = (await once(stdout, 'data')) as [Buffer];
  return { child, uri: line.toString().trim() };
}

const quickToFail = { serverSelectionTimeoutMS: 500, retryReads: false, retryWrites: false, maxPoolSize: 20 };

/** Writes until the server dies and remembers what was acknowledged. */
async function writeUntilDeath(
  items: Collection<Document>,
  writer: number,
  acknowledged: Map<string, number>,
): Promise<void> {
  try {
    for (let n = 0; ; n++) {
      const key = `${writer}:${n}`;
      await items.insertOne({ key, state: 0 });
      acknowledged.set(key, 0);
      if (n % 3 === 0) {
        await items.updateOne({ key }, { $set: { state: 1, note: 'x'.repeat(n % 50) } });
        acknowledged.set(key, 1);
      }
      await items.updateOne({ key: `counter:${writer}` }, { $inc: { n: 1 } }, { upsert: true });
      acknowledged.set(`counter:${writer}`, n + 1);
    }
  } catch {
    // The server was killed; what is in the map was acknowledged before.
  }
}

/** Everything acknowledged is there, and each index holds exactly the documents. */
async function verify(directory: string, acknowledged: Map<string, number>): Promise<void> {
  const server = await startEmbedded({ directory });
  const client = await MongoClient.connect(server.uri);
  const items = client.db().collection<Document>('items');
  const stored = new Map((await items.find().toArray()).map((document) => [document.key, document]));
  const missing = [...acknowledged].filter(([key, state]) => {
    const document = stored.get(key);
    return !document || (key.startsWith('counter') ? document.n : document.state) < state;
  });
  expect(missing).toEqual([]);
  for (const hint of ['_id_', 'key_1']) {
    const filter = hint === '_id_' ? { _id: { $exists: true } } : { key: { $gte: '' } };
    expect(
      await items
        .find(filter as Document)
        .hint(hint)
        .toArray(),
    ).toHaveLength(stored.size);
  }
  expect(await items.estimatedDocumentCount()).toBe(stored.size);
  await client.close();
  await server.stop();
}

test('nothing acknowledged is lost when the process is killed under concurrent writers', async () => {
  const directory = temporaryDirectory();
  const acknowledged = new Map<string, number>();
  for (const round of [0, 1, 2]) {
    const { child, uri } = await startProcess(directory.path);
    const client = await MongoClient.connect(uri, quickToFail);
    const items = client.db().collection<Document>('items');
    await items.createIndex({ key: 1 }, { unique: true });
    const writers = Array.from({ length: 10 }, (_, writer) =>
      writeUntilDeath(items, round * 10 + writer, acknowledged),
    );
    await new Promise((resolve) => setTimeout(resolve, 400));
    child.kill('SIGKILL');
    await Promise.all([once(child, 'exit'), ...writers]);
    await client.close();
    await verify(directory.path, acknowledged);
  }
  expect(acknowledged.size).toBeGreaterThan(100);
  directory.remove();
});

test('an index build that is killed midway leaves the old catalogue, and can be done again', async () => {
  const directory = temporaryDirectory();
  const { child, uri } = await startProcess(directory.path);
  const client = await MongoClient.connect(uri, quickToFail);
  const items = client.db().collection<Document>('items');
  for (let n = 0; n < 20; n++)
    await items.insertMany(Array.from({ length: 1000 }, (_, i) => ({ n: n * 1000 + i })));
  const building = items.createIndex({ n: 1 }).catch(() => 'died');
  // The build is under way once other commands are answered in between.
  for (let i = 0; i < 3; i++) await items.findOne();
  child.kill('SIGKILL');
  await Promise.all([once(child, 'exit'), building]);
  await client.close();

  const server = await startEmbedded({ directory: directory.path });
  const again = await MongoClient.connect(server.uri);
  const reopened = again.db().collection<Document>('items');
  const outcome = await building;
  expect((await reopened.indexes()).map(({ name }) => name)).toEqual(
    outcome === 'died' ? ['_id_'] : ['_id_', 'n_1'],
  );
  await reopened.createIndex({ n: 1 });
  expect(
    await reopened
      .find({ n: { $gte: 0 } })
      .hint('n_1')
      .toArray(),
  ).toHaveLength(20_000);
  await again.close();
  await server.stop();
  directory.remove();
});
