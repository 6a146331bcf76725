import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deserialize } from 'bson';
import { MongoClient } from 'mongodb';
import { rounds } from '../../support/long.ts';
import { command, malformed } from './fuzz/messages.ts';
import { Random } from './fuzz/random.ts';
import { temporaryDirectory } from './support.ts';

/** What a broken or hostile client may send: the server hangs up on it or answers properly, and others notice nothing. */
let directory: { path: string; remove(): void };
let server: ChildProcess;
let client: MongoClient;
let path: string;

/** The server has a process to itself, so that its memory can be told from that of the test. */
beforeAll(async () => {
  directory = temporaryDirectory();
  const script = new URL('./fixtures/shared-server.ts', import.meta.url).pathname;
  const flags = ['--disable-warning=ExperimentalWarning', script, directory.path];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  server = child;
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const uri = line.toString().trim();
  path = decodeURIComponent(uri.split('/')[2] ?? '');
  client = await MongoClient.connect(uri);
});
afterAll(async () => {
  await client.close();
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  directory.remove();
});

/** The resident memory of the server's process, in bytes, as `ps` tells it. */
function memory(): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)]).toString()) * 1024;
}

const megabyte = 1024 * 1024;

async function connect(): Promise<Socket> {
  const socket = createConnection(path);
  await once(socket, 'connect');
  return socket;
}

/** Sends the bytes, hangs up, and gives what came back until the server hung up too. */
async function exchange(bytes: Buffer): Promise<Buffer> {
  const socket = await connect();
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => socket.destroy());
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.end(bytes);
  await closed;
  return Buffer.concat(received);
}

/** Checks that bytes are nothing but whole replies to the request, each one document with `ok`. */
function checkReplies(bytes: Buffer, sent: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readInt32LE(at);
    const code = bytes.readInt32LE(at + 12);
    expect([1, 2013]).toContain(code);
    expect(bytes.readInt32LE(at + 8)).toBe(sent.readInt32LE(4));
    const raw = bytes.subarray(at + (code === 1 ? 36 : 21), at + length);
    // Stored text is given back as it came, and what a client stored need not be UTF-8.
    const reply = deserialize(raw, { validation: { utf8: false } });
    expect([0, 1]).toContain(reply.ok);
    if (reply.ok === 0) expect(reply).toMatchObject({ code: expect.any(Number), errmsg: expect.any(String) });
    at += length;
  }
}

test('malformed messages are refused one by one while a good client works on', async () => {
  const random = new Random(2026);
  const things = client.db().collection('good');
  const before = memory();
  let attacked = true;
  let worked = 0;
  const goodClient = (async () => {
    for (; attacked; worked++) {
      await things.insertOne({ n: worked });
      expect(await things.countDocuments()).toBe(worked + 1);
    }
  })();
  for (let round = 0; round < rounds(25, 100); round++) {
    const messages = random.list(20, (i) => malformed(random, round * 20 + i + 1));
    const answers = await Promise.all(messages.map(exchange));
    for (const [i, answer] of answers.entries()) checkReplies(answer, messages[i] as Buffer);
  }
  attacked = false;
  await goodClient;
  expect(worked).toBeGreaterThan(20);
  expect(memory() - before).toBeLessThan(150 * megabyte);
  expect(
    await client
      .db('wire')
      .collection('things')
      .countDocuments({ a: { $gt: 5 }, x: null }),
  ).toBeGreaterThanOrEqual(0);
}, 120_000);

test('announcing the largest message and sending nothing costs nothing', async () => {
  const before = memory();
  const header = Buffer.alloc(16);
  header.writeInt32LE(48_000_000, 0);
  const sockets = await Promise.all(Array.from({ length: 64 }, connect));
  for (const socket of sockets) socket.write(header);
  await client.db().command({ ping: 1 });
  expect(memory() - before).toBeLessThan(100 * megabyte);
  for (const socket of sockets) socket.destroy();
});

test('a message larger than the limit is refused at its first four bytes', async () => {
  const socket = await connect();
  const header = Buffer.alloc(4);
  header.writeInt32LE(48_000_001, 0);
  socket.write(header);
  await once(socket, 'close');
});

test('a message that comes byte by byte is answered like any other', async () => {
  const socket = await connect();
  const bytes = command(7, { ping: 1 });
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const [reply] = (await once(socket, 'data')) as [Buffer];
  checkReplies(reply, bytes);
  socket.destroy();
});
