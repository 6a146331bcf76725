import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { startEmbedded } from '../../../src/storage/embedded/index.ts';
import { errorOf, type Running, startServer, temporaryDirectory } from './support.ts';

describe('start and stop', () => {
  test('data outlives a restart, and nothing but data is left behind', async () => {
    const directory = temporaryDirectory();
    const path = join(directory.path, 'made', 'on', 'demand');
    for (const round of [1, 2]) {
      const server = await startEmbedded({ directory: path });
      expect(server.uri).toBe(
        `mongodb://${encodeURIComponent(join(path, 'db.sock'))}/sluice?directConnection=true`,
      );
      const client = await MongoClient.connect(server.uri);
      const rounds = client.db().collection<Document>('rounds');
      await rounds.createIndex({ round: 1 }, { unique: true });
      await rounds.insertOne({ round });
      expect(await rounds.countDocuments()).toBe(round);
      expect(
        (
          await rounds
            .find({ round: { $gte: 1 } })
            .hint('round_1')
            .toArray()
        ).length,
      ).toBe(round);
      await client.close();
      await server.stop();
    }
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readdirSync(path).sort()).toEqual(['data.sqlite', 'lock']);
    directory.remove();
  });

  test('a second start on the same directory is refused with one sentence', async () => {
    const { server, directory, stop } = await startServer();
    const error = await errorOf(startEmbedded({ directory }));
    expect(error.message).toBe(`The data directory ${directory} is in use by process ${process.pid}.`);
    const client = await MongoClient.connect(server.uri);
    expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    await stop();
  });

  test('a stale socket and pid file do not matter', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory.path, 'db.sock'), '');
    writeFileSync(join(directory.path, 'pid'), '1');
    const server = await startEmbedded({ directory: directory.path });
    await server.stop();
    directory.remove();
  });

  test('a long directory gets its socket elsewhere, and it is removed again', async () => {
    const directory = temporaryDirectory();
    const server = await startEmbedded({
      directory: join(directory.path, 'x'.repeat(120)),
      databaseName: 'other',
    });
    const socket = decodeURIComponent(/mongodb:\/\/(.*)\/other/.exec(server.uri)?.[1] ?? '');
    expect(existsSync(socket)).toBe(true);
    expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(existsSync(join(socket, '..'))).toBe(false);
    directory.remove();
  });

  test('an unusable directory is an error of the start', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory.path, 'file'), '');
    await expect(startEmbedded({ directory: join(directory.path, 'file') })).rejects.toThrow();
    directory.remove();
  });
});

describe('the protocol', () => {
  let running: Running;
  beforeAll(async () => {
    running = await startServer({ cursorIdleLimit: 40, ttlInterval: 20 });
  });
  afterAll(() => running.stop());

  test('greets as a standalone server of version 8', async () => {
    const hello = await running.db.command({ hello: 1 });
    expect(hello).toMatchObject({ isWritablePrimary: true, maxWireVersion: 25, maxBsonObjectSize: 16777216 });
    expect(hello).not.toHaveProperty('setName');
    expect(hello).not.toHaveProperty('topologyVersion');
    expect((await running.db.admin().buildInfo()).version).toBe('8.0.0');
  });

  test('hangs up on bytes that are no message, and goes on serving others', async () => {
    const path = decodeURIComponent(/mongodb:\/\/(.*)\/sluice/.exec(running.server.uri)?.[1] ?? '');
    for (const bytes of [Buffer.alloc(16, 0xff), Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(64)]) {
      const socket = connect(path);
      await new Promise((resolve) => {
        socket.on('close', resolve);
        socket.write(bytes);
      });
    }
    expect(await running.db.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  test.each<[Document, number]>([
    [{ nope: 1 }, 59],
    [{ find: 'x', frobnicate: 1 }, 40415],
    [{ find: 'x', tailable: true }, 2],
    [{ find: 'x', min: { a: 1 }, hint: { a: 1 } }, 238],
    [{ find: 'x', readConcern: { level: 'snapshot' } }, 123],
    [{ find: 'x', hint: 'nobody' }, 2],
    [{ find: 'x', sort: { a: 3 } }, 15975],
    [{ insert: 'x', documents: [{ a: 1 }], writeConcern: { w: 2 } }, 2],
    [{ insert: 'x', documents: [{ a: 1 }], txnNumber: 1, autocommit: false }, 20],
    [{ insert: 'a$b', documents: [{ a: 1 }] }, 73],
    [{ insert: 'system.users', documents: [{ a: 1 }] }, 73],
    [{ create: 'x', capped: true, size: 1000 }, 238],
    [{ create: 'x', validator: { a: 1 } }, 48],
    [{ create: 'y', viewOn: 'x', pipeline: [] }, 238],
    [{ create: 'y', validator: { $jsonSchema: {} } }, 2],
    [{ create: 'y', frobnicate: 1 }, 40415],
    [{ create: 'x', timeseries: { timeField: 't' } }, 238],
    [{ mapReduce: 'x', map: '', reduce: '', out: 'y' }, 59],
    [{ collStats: 'x' }, 238],
    [{ explain: { find: 'x' } }, 238],
    [{ find: 'x', filter: { $where: 'true' } }, 2],
    [{ find: 'x', filter: { $text: { $search: 'a' } } }, 2],
    [{ find: 'x', filter: { $alwaysTrue: 1 } }, 2],
    [{ find: 'x', filter: { a: { $bitsAllSet: 5 } } }, 2],
    [{ find: 'x', filter: { a: { $bitsAnyClear: [1] } } }, 2],
    [{ find: 'x', filter: { a: { $type: 6 } } }, 2],
    [{ find: 'x', limit: 'ten' }, 14],
    [{ count: 'x', limit: 'ten' }, 14],
    [{ find: 'x', filter: { a: { $near: [0, 0] } } }, 2],
    [{ find: 'x', filter: { a: { $regex: '(' } } }, 51091],
    [{ find: 'x', filter: {}, collation: { locale: 'en' } }, 72],
    [{ listIndexes: 'missing' }, 26],
  ])('%j is refused with %d', async (command, code) => {
    await running.db.collection('x').insertOne({});
    expect((await errorOf(running.db.command(command))).code).toBe(code);
  });

  test('transactions and change streams are refused as a standalone server refuses them', async () => {
    const session = running.client.startSession();
    const transaction = session.withTransaction(() =>
      running.db.collection('x').insertOne({ t: 1 }, { session }),
    );
    expect((await errorOf(transaction)).message).toContain('does not support retryable writes');
    await session.endSession();
    expect((await errorOf(running.db.collection('x').watch().next())).code).toBe(40573);
    expect(await running.db.collection('x').countDocuments({ t: 1 })).toBe(0);
  });

  test('unacknowledged writes are carried out', async () => {
    const quiet = running.db.collection('quiet', { writeConcern: { w: 0 } });
    await quiet.insertOne({ n: 1 });
    while ((await running.db.collection('quiet').countDocuments()) === 0);
  });

  test('forgotten cursors are closed', async () => {
    await running.db.collection('many').insertMany(Array.from({ length: 50 }, (_, n) => ({ n })));
    const { cursor } = await running.db.command({ find: 'many', batchSize: 2 });
    const open = async (): Promise<number> =>
      (await running.db.command({ serverStatus: 1 })).metrics.cursor.open.total;
    while ((await open()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await errorOf(running.db.command({ getMore: cursor.id, collection: 'many' }))).code).toBe(43);
  });

  test('collections are listed, renamed and dropped', async () => {
    const other = running.client.db('other');
    await other.createCollection('made');
    await other.createCollection('made');
    await other.collection('made').insertOne({ n: 1 });
    await other.collection('made').rename('moved');
    expect((await other.listCollections().toArray()).map(({ name }) => name)).toEqual(['moved']);
    expect(await other.collection('moved').findOne({ n: 1 })).toMatchObject({ n: 1 });
    expect((await running.client.db().admin().listDatabases()).databases.map(({ name }) => name)).toContain(
      'other',
    );
    await other.dropDatabase();
    expect(await other.listCollections().toArray()).toEqual([]);
  });
});
