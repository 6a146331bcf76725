import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI from 'openai';
import {
  type Boxes,
  BoxLost,
  type BoxServer,
  createBoxes,
  createBoxServer,
  createInterpreters,
  createRemoteStart,
  createStart,
  type Interpreters,
} from '../../../src/boxes/index.ts';
import { listen } from '../../../src/http/server.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { readSettings, SettingsError } from '../../../src/settings/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';

jest.setTimeout(240_000);

const TOKEN = 'a-token-of-boxes-0123456789abcdef';
const log = createLogger('silent');
const nobody = new AbortController().signal;

let directory: string;
let boxes: Boxes;
let interpreters: Interpreters;
let server: BoxServer;
let url: URL;
let app: TestApp;
let client: OpenAI;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-remote-'));
  boxes = createBoxes(join(directory, 'boxes'));
  interpreters = createInterpreters({
    start: createStart(boxes, join(directory, 'boxes'), log),
    keepsWarm: false,
    log,
  });
  server = createBoxServer({ interpreters, token: TOKEN, places: 3, log });
  url = new URL(`http://127.0.0.1:${await listen(server.server, '127.0.0.1', 0)}`);
  app = await startApp({
    CODE_INTERPRETER: 'remote',
    CODE_INTERPRETER_URL: url.href,
    CODE_INTERPRETER_TOKEN: TOKEN,
  });
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await app.stop();
  await server.stop();
  await interpreters.stop();
  await boxes.stop();
  await rm(directory, { recursive: true, force: true });
});

const health = async () =>
  (await (await fetch(new URL('/healthz', url))).json()) as { status: string; open: number; places: number };
const take = (token = TOKEN) => createRemoteStart(url, token)();

/** Runs a cell; answers what it wrote. */
async function written(python: Awaited<ReturnType<typeof take>>, code: string): Promise<string> {
  let text = '';
  await python.run(code, (part) => (text += part), nobody);
  return text;
}

describe('code of models on a box server', () => {
  it('runs, keeps variables in its thread, and gives files to the text', async () => {
    const { id } = await client.beta.threads.create();
    const assistant = await client.beta.assistants.create({
      model: '@mock/mock-1',
      tools: [{ type: 'code_interpreter' }],
    });
    const ran = async (code: string) => {
      await client.beta.threads.messages.create(id, { role: 'user', content: `/python ${code}` });
      const run = await client.beta.threads.runs.createAndPoll(id, { assistant_id: assistant.id });
      const steps = await client.beta.threads.runs.steps.list(run.id, { thread_id: id, order: 'asc' });
      const [message] = (await client.beta.threads.messages.list(id)).data;
      const call = (steps.data[0] as any)?.step_details.tool_calls?.[0]?.code_interpreter;
      return { status: run.status, logs: call?.outputs[0]?.logs as string, message };
    };
    expect(await ran('x = 41\nprint("first")')).toMatchObject({ status: 'completed', logs: 'first\n' });
    const second = await ran("open('/mnt/data/sum.csv', 'w').write('a,b\\n1,2\\n')\nprint(x + 1)");
    expect(second.logs).toBe('42\n');
    const [part] = second.message?.content ?? [];
    if (part?.type !== 'text') throw new Error('The message is a text.');
    const [annotation] = part.text.annotations as { file_path: { file_id: string } }[];
    const content = await client.files.content(annotation?.file_path.file_id ?? '');
    expect(await content.text()).toBe('a,b\n1,2\n');
    expect(await health()).toEqual({ status: 'ok', open: 1, places: 3 });
  });

  it('belongs to one connection, and ends with it', async () => {
    const before = (await health()).open;
    const [one, other] = await Promise.all([take(), take()]);
    expect(await written(one, 'secret = 1\nprint("set")')).toBe('set\n');
    expect(await written(other, "print('secret' in globals())")).toBe('False\n');
    expect((await health()).open).toBe(before + 2);
    await one.close();
    await other.close();
    expect(one.isOpen).toBe(false);
    await eventually(async () => expect((await health()).open).toBe(before));
  });

  it('carries contents in both directions', async () => {
    const python = await take();
    const bytes = Buffer.alloc(300_000, 'abc');
    async function* read() {
      yield bytes.subarray(0, 1000);
      yield bytes.subarray(1000);
    }
    await python.put('data.bin', { bytes: bytes.length, read }, nobody);
    await written(python, "open('/mnt/data/copy.bin', 'wb').write(open('/mnt/data/data.bin', 'rb').read())");
    expect(Buffer.from(await python.take('copy.bin', nobody)).equals(bytes)).toBe(true);
    await python.close();
  });

  it('says why a box has ended', async () => {
    const python = await take();
    const lost = await written(
      python,
      'x = bytearray(900 * 1024 * 1024)\nfor i in range(0, len(x), 4096): x[i] = 1',
    ).then(
      (text) => text,
      (error: unknown) => error,
    );
    // Python itself may refuse the memory before the box is ended for it.
    if (lost instanceof BoxLost) expect(lost.end).toBe('memory');
    else expect(lost).toContain('MemoryError');
    await python.close();
    const left = await take();
    const stopped = new AbortController();
    const running = left.run('while True: pass', () => {}, stopped.signal);
    stopped.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(await left.ended).toBe('stopped');
  });

  it('loses its box where the line to the server breaks, and says so', async () => {
    const sockets: Socket[] = [];
    const proxy = createTcpServer((socket) => {
      const onward = connect(Number(url.port), '127.0.0.1');
      sockets.push(socket, onward);
      socket.pipe(onward).pipe(socket);
      for (const each of [socket, onward]) each.on('error', () => {});
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as { port: number };
    const python = await createRemoteStart(new URL(`http://127.0.0.1:${port}`), TOKEN)();
    const running = python.run('import time\ntime.sleep(30)', () => {}, nobody);
    for (const socket of sockets) socket.destroy();
    await expect(running).rejects.toEqual(expect.objectContaining({ end: 'crash' }));
    proxy.close();
  });

  it('is for those who know the token, as long as there are places', async () => {
    await expect(take('another-token-0123456789abcdef01234')).rejects.toThrow();
    const refused = await fetch(new URL('/boxes', url));
    expect(refused.status).toBe(404);
    await eventually(async () => expect((await health()).open).toBeLessThanOrEqual(1));
    const free = 3 - (await health()).open;
    const taken = await Promise.all(Array.from({ length: free }, () => take()));
    await expect(take()).rejects.toThrow();
    await Promise.all(taken.map((python) => python.close()));
    await eventually(async () => expect((await health()).open).toBe(3 - free));
    await (await take()).close();
  });

  it('drops a connection that does not keep to the words', async () => {
    const socket = connect(Number(url.port), '127.0.0.1');
    socket.on('error', () => {});
    const head = `GET /boxes HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: sluice-box\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;
    socket.write(head);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('101 Switching Protocols');
    const closed = once(socket, 'close');
    socket.write(Buffer.alloc(64, 0xff));
    await closed;
    expect((await health()).status).toBe('ok');
  });
});

it('asks for an address and a token', () => {
  const reading = () => readSettings({ CODE_INTERPRETER: 'remote' });
  expect(reading).toThrow(SettingsError);
  expect(reading).toThrow(/CODE_INTERPRETER_URL: is needed.*\n.*CODE_INTERPRETER_TOKEN: is needed/);
});
