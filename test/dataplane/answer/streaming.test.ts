import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chatFrames, eventStream } from '../../support/provider.ts';
import { messages, read, startWorld, until, type World } from '../../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const chat = () => ({ model: `@${world.slug}/gpt-test`, messages, stream: true });

test('frames are relayed as they arrive, unaltered', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  world.provider.play(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(': comment\n\ndata: {"first":  true}\n\n');
    await held;
    response.end('event: x\r\ndata: second\r\n\r\ndata: [DONE]\n\n');
  });
  const response = await world.open({ body: chat() });
  const [first] = (await once(response, 'data')) as [Buffer];
  expect(first.toString()).toBe(': comment\n\ndata: {"first":  true}\n\n');
  release();
  const rest = await read(response);
  expect(rest.text).toBe('event: x\r\ndata: second\r\n\r\ndata: [DONE]\n\n');
  expect(rest.headers['content-type']).toBe('text/event-stream; charset=utf-8');
});

test('frames of hundreds of kilobytes arrive whole', async () => {
  const frames = [200_000, 400_000, 10, 1_000_000].map(
    (size, index) => `data: ${String(index).repeat(size)}\n\n`,
  );
  world.provider.play(eventStream(frames));
  const answer = await world.call({ body: chat() });
  expect(answer.text === frames.join('')).toBe(true);
});

test('a slow reader loses nothing and holds the provider back', async () => {
  const chunk = randomBytes(64 * 1024);
  const count = 320;
  let sent = 0;
  world.provider.play(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (; sent < count; sent++) if (!response.write(chunk)) await once(response, 'drain');
    response.end();
  });
  const response = await world.open({ body: chat() });
  response.pause();
  // The provider stops once every buffer between it and the reader is full.
  let before = -1;
  await until(async () => {
    const still = sent === before && sent > 0;
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return still;
  });
  expect(sent).toBeLessThan(count);
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of response) {
    hash.update(piece as Buffer);
    size += (piece as Buffer).length;
  }
  const expected = createHash('sha256');
  for (let index = 0; index < count; index++) expected.update(chunk);
  expect(size).toBe(count * chunk.length);
  expect(hash.digest('hex')).toBe(expected.digest('hex'));
});

test('a reader that stops reading and then leaves ends the stream at the provider', async () => {
  let left: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  world.provider.play(async (_request, response) => {
    response.once('close', left);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, '\n'))) await null;
  });
  const response = await world.open({ body: chat() });
  response.pause();
  response.on('error', () => {});
  await until(() => response.readableLength > 0);
  response.destroy();
  await gone;
});

test('a hundred streams at once each get their own frames', async () => {
  world.provider.play(async (request, response) => {
    const { tag } = JSON.parse(request.body.toString()) as { tag: string };
    await eventStream(chatFrames([tag, tag]), 2)(request, response, undefined as never);
  });
  const tags = Array.from({ length: 100 }, (_, index) => `stream-${index}`);
  const answers = await Promise.all(tags.map((tag) => world.call({ body: { ...chat(), tag } })));
  answers.forEach((answer, index) => {
    expect(answer.text).toBe(chatFrames([`stream-${index}`, `stream-${index}`]).join(''));
  });
});
