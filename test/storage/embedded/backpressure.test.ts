import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { frameCommand } from '../../../src/storage/embedded/wire.ts';
import { type Running, startServer } from './support.ts';

let running: Running;

beforeAll(async () => {
  running = await startServer();
  await running.db.collection('items').insertOne({ text: 'x'.repeat(2_000_000) });
});
afterAll(() => running.stop());

const socketPath = (): string => decodeURIComponent(new URL(running.server.uri).host);
const question = frameCommand({ find: 'items', $db: 'sluice', singleBatch: true });

/** So many answers of one length, of which the first four bytes are that length. Then the socket is closed. */
async function read(socket: Socket, count: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    const [first = chunk] = chunks;
    if (size >= count * first.readInt32LE(0)) break;
  }
  return Buffer.concat(chunks);
}

test('a client that asks and does not read is made to wait, and then gets every answer in order', async () => {
  const socket = connect(socketPath());
  await once(socket, 'connect');
  const requests = 60;
  for (let id = 1; id <= requests; id++) {
    const message = Buffer.from(question);
    message.writeInt32LE(id, 4);
    socket.write(message);
  }
  // Whoever reads gets answers meanwhile, and the server does not hold 120 MB for the one who does not.
  const { rss } = process.memoryUsage();
  for (let i = 0; i < 300; i++) await running.db.command({ ping: 1 });
  expect(process.memoryUsage().rss - rss).toBeLessThan(80e6);
  const answers = await read(socket, requests);
  const answered = Array.from({ length: requests }, (_, at) =>
    answers.readInt32LE((at * answers.length) / requests + 8),
  );
  expect(answered).toEqual(Array.from({ length: requests }, (_, i) => i + 1));
});

test('a client that goes while answers wait for it leaves nothing behind', async () => {
  const socket = connect(socketPath());
  await once(socket, 'connect');
  for (let i = 0; i < 20; i++) socket.write(question);
  await running.db.command({ ping: 1 });
  socket.destroy();
  await once(socket, 'close');
  expect(await running.db.command({ ping: 1 })).toMatchObject({ ok: 1 });
});
