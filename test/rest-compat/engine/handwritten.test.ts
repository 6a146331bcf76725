import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { HandwrittenEndpoint } from '../../../rest-compat/index.ts';
import { GatewayError } from '../../../src/errors/index.ts';
import { smallGraph, somebody } from '../../graph/small-graph.ts';
import { refusal } from './item-rest.ts';
import { smallRest } from './small-rest.ts';

const graph = smallGraph({
  sdl: 'type Query { a: Int @authenticated }',
  resolvers: { Query: { a: () => 1 } },
});
const document = 'query a @rest(method: GET, path: "/files/{fileId}/facts", on: [V1]) { a }'.replace(
  '{fileId}',
  'all',
);

/** What the last stream did, and how the test lets it go on. */
let stream = { given: 0, ended: false, go: Promise.withResolvers<void>(), failure: null as unknown };
const freshStream = () => {
  stream = { given: 0, ended: false, go: Promise.withResolvers<void>(), failure: null };
};

async function* numbers(count: number, size: number) {
  const mine = stream;
  try {
    for (let index = 0; index < count; index++) {
      mine.given++;
      yield index === 0 ? { event: 'first', data: 'one\ntwo' } : { data: { index, text: 'x'.repeat(size) } };
    }
    await mine.go.promise;
    if (mine.failure) throw mine.failure;
  } finally {
    mine.ended = true;
  }
}

/** Waits for an event that never comes, until it is told that nobody wants it any more. */
const neverAny = (): AsyncIterable<{ data: string }> => ({
  [Symbol.asyncIterator]: () => {
    const waiting = Promise.withResolvers<{ done: true; value: undefined }>();
    return {
      next: () => waiting.promise,
      async return() {
        stream.ended = true;
        waiting.resolve({ done: true, value: undefined });
        return { done: true, value: undefined };
      },
    };
  },
});

const common = { on: ['V1', 'V2'], describe: {} } satisfies Partial<HandwrittenEndpoint>;
const handwritten: HandwrittenEndpoint[] = [
  {
    ...common,
    name: 'streamNumbers',
    method: 'GET',
    path: '/numbers/{count}',
    query: ['size'],
    async handle({ parameters, query, sendEvents }) {
      if (parameters.count === '0') throw new GatewayError('NOT_FOUND');
      if (parameters.count === 'never') await sendEvents(neverAny());
      else await sendEvents(numbers(Number(parameters.count), Number(query.size ?? 1)));
    },
  },
  {
    ...common,
    name: 'uploadFile',
    method: 'POST',
    path: '/files',
    scope: 'configs.create',
    async handle({ readBytes, sendJson, principal }) {
      let size = 0;
      for await (const chunk of readBytes(100_000)) size += chunk.length;
      sendJson({ size, by: principal?.id }, 201);
    },
  },
  {
    ...common,
    name: 'inspectFile',
    method: 'POST',
    path: '/inspections',
    async handle({ readBytes }) {
      for await (const _chunk of readBytes(10_000_000)) {
        throw new GatewayError('VALIDATION_FAILED', { message: 'This is no such file.' });
      }
    },
  },
  {
    ...common,
    name: 'downloadFile',
    method: 'GET',
    path: '/files/{name}',
    async handle({ parameters: { name = '' }, sendFile }) {
      const content = async function* () {
        stream.given++;
        yield Buffer.from('one,');
        yield Buffer.from('two');
      };
      await sendFile(content, { type: 'text/csv', name, length: name === 'wrong' ? 100 : 7 });
    },
  },
  {
    ...common,
    name: 'echo',
    method: 'POST',
    path: '/echo',
    scope: 'nobody.has_this',
    handle: async ({ readJson, sendJson }) => sendJson(await readJson()),
  },
  { ...common, name: 'silent', method: 'PUT', path: '/echo', handle: async () => undefined },
  {
    ...common,
    name: 'readJson',
    method: 'DELETE',
    path: '/echo',
    handle: async ({ readJson, sendJson }) => sendJson((await readJson()) ?? null),
  },
];

let principal: ReturnType<typeof somebody> | null = somebody();
let api: Awaited<ReturnType<typeof smallRest>>;

beforeAll(async () => {
  freshStream();
  api = await smallRest(graph, document, {
    handwritten,
    surfaces: { V1: { prefix: '/v1', authenticate: async () => principal } },
  });
});
afterEach(() => {
  principal = somebody();
  api.recorded.logged.length = 0;
  freshStream();
});
afterAll(() => api.close());

const upload = (body: RequestInit['body'], headers: Record<string, string> = {}) =>
  api.call('POST', '/v1/files', {
    body,
    headers: { 'content-type': 'application/octet-stream', ...headers },
  });

async function ask(text: string): Promise<Socket> {
  const socket = connect(api.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`${text}\r\nhost: x\r\n\r\n`);
  return socket;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a named exception', () => {
  it('is found, authenticated and refused like a document', async () => {
    expect((await api.call('DELETE', '/v1/echo')).body).toBeNull();
    expect((await api.call('GET', '/v1/echo')).headers.get('allow')).toBe('POST, PUT, DELETE, OPTIONS');
    expect(await api.call('PATCH', '/v1/files/a')).toMatchObject(refusal(405, null));
    expect((await api.call('OPTIONS', '/v1/files/a')).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await api.call('GET', '/v2/files/a')).status).toBe(404);
    expect(await api.send('POST', '/v1/echo', {})).toMatchObject(refusal(403, null, 'AB03'));
    principal = null;
    for (const [method, path] of [
      ['GET', '/v1/files/a'],
      ['POST', '/v1/echo'],
    ] as const) {
      const answer = await api.call(method, path, { headers: { 'x-request-id': 'mine' } });
      expect(answer).toMatchObject(refusal(401, null, 'AB05'));
      expect(answer.headers.get('x-request-id')).toBe('mine');
    }
  });

  it('shares its routes with the documents: two at one place stop the start', async () => {
    const [stream, ...others] = handwritten;
    const clash = { ...stream, name: 'clash', path: '/files/all/facts' } as HandwrittenEndpoint;
    await expect(smallRest(graph, document, { handwritten: [...others, clash] })).rejects.toThrow(
      /clash and small\.graphql: a are both mounted/,
    );
  });

  it('takes the query parameters that it names, once', async () => {
    expect(await api.call('GET', '/v1/numbers/0?size=1')).toMatchObject(refusal(404, null));
    expect(await api.call('GET', '/v1/numbers/0?foo=1')).toMatchObject(
      refusal(400, 'foo', 'unknown_parameter'),
    );
    expect(await api.call('GET', '/v1/numbers/0?size=1&size=2')).toMatchObject(refusal(400, 'size'));
  });

  it('reads JSON as documents do, and is a defect when it gives no answer', async () => {
    expect((await api.send('DELETE', '/v1/echo', { a_b: { cD: 1 } })).body).toEqual({ a_b: { cD: 1 } });
    expect(
      await api.call('DELETE', '/v1/echo', { body: '{', headers: { 'content-type': 'application/json' } }),
    ).toMatchObject(refusal(400, null));
    expect(await api.send('PUT', '/v1/echo', {})).toMatchObject(refusal(500, null));
    expect(api.recorded.logged).toMatchObject([{ members: { operation: 'silent' } }]);
  });
});

describe('an upload', () => {
  it('is read as bytes, whatever they are', async () => {
    const answer = await upload(Buffer.alloc(100_000, 0xff));
    expect(answer).toMatchObject({ status: 201, body: { size: 100_000, by: 'key-1' } });
    expect(answer.headers.get('x-request-id')).toBe('request-1');
  });

  it('is bounded, whether it says its length or not', async () => {
    expect(await upload(Buffer.alloc(100_001))).toMatchObject(refusal(413, null));
    const chunk = `${(32 * 1024).toString(16)}\r\n${'x'.repeat(32 * 1024)}\r\n`;
    const socket = connect(api.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /v1/files HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    for (let index = 0; index < 10; index++) socket.write(chunk);
    const [data] = await once(socket, 'data');
    socket.destroy();
    expect(String(data)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  });

  it('that is refused half-way ends its connection, which cannot carry another request', async () => {
    const socket = connect(api.port, '127.0.0.1');
    socket.write(
      `POST /v1/inspections HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\n${'x'.repeat(500)}`,
    );
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString();
    });
    await once(socket, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\nconnection: close\r\n/i);
    socket.destroy();
  });

  it('whose caller leaves is no error of ours', async () => {
    const socket = connect(api.port, '127.0.0.1');
    socket.write('POST /v1/files HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nabc');
    await once(socket, 'connect');
    socket.destroy();
    expect(await upload('after')).toMatchObject({ status: 201 });
    expect(api.recorded.logged.filter(({ message }) => !/caller left/.test(String(message)))).toEqual([]);
  });
});

describe('a download', () => {
  it('is an attachment that no browser takes for a page', async () => {
    const answer = await api.call('GET', "/v1/files/r%C3%A9port%20'1'.csv");
    expect(answer).toMatchObject({ status: 200, text: 'one,two' });
    expect(answer.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''r%C3%A9port%20%271%27.csv",
    );
    expect(answer.headers.get('content-type')).toBe('text/csv');
    expect(answer.headers.get('content-length')).toBe('7');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('of a HEAD is its headers', async () => {
    const answer = await api.call('HEAD', '/v1/files/a.csv');
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers.get('content-length')).toBe('7');
    expect(stream.given).toBe(0);
  });

  it('that is shorter than it said breaks off', async () => {
    await expect(api.call('GET', '/v1/files/wrong')).rejects.toThrow();
    await until(() => api.recorded.logged.length > 0);
    expect(api.recorded.logged).toMatchObject([{ members: { operation: 'downloadFile' } }]);
  });
});

describe('a stream of events', () => {
  it('arrives in frames as they are made', async () => {
    const response = await fetch(`http://127.0.0.1:${api.port}/v1/numbers/2`);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-request-id')).toBe('request-1');
    stream.go.resolve();
    expect(await response.text()).toBe(
      'event: first\ndata: one\ndata: two\n\ndata: {"index":1,"text":"x"}\n\n',
    );
    expect(stream.ended).toBe(true);
  });

  it('answers an error before it begins as an error, and HEAD without asking for events', async () => {
    expect(await api.call('GET', '/v1/numbers/0')).toMatchObject(refusal(404, null));
    expect(await api.call('HEAD', '/v1/numbers/5')).toMatchObject({ status: 200, text: '' });
    expect(stream.given).toBe(0);
  });

  it('says in an event what went wrong on the way, and then breaks rather than ends', async () => {
    for (const [failure, code, logged] of [
      [new GatewayError('FORBIDDEN'), 'AB03', 'FORBIDDEN'],
      [new Error('mongodb://user:secret@db'), 'AB04', 'INTERNAL'],
    ] as const) {
      freshStream();
      const socket = await ask('GET /v1/numbers/1 HTTP/1.1');
      let text = '';
      socket.on('data', (data) => {
        text += data;
      });
      await until(() => text.includes('data: two'));
      stream.failure = failure;
      stream.go.resolve();
      await once(socket, 'close');
      expect(text).toMatch(/event: error\ndata: \{"error":\{"message":/);
      expect(text).toContain(`"code":"${code}"`);
      expect(text).not.toContain('secret');
      // The last chunk of a chunked answer that is complete.
      expect(text).not.toMatch(/0\r\n\r\n$/);
      expect(api.recorded.logged.at(-1)).toMatchObject({
        members: { operation: 'streamNumbers', error: { code: logged } },
      });
    }
  });

  it('goes at the pace of the caller', async () => {
    const socket = await ask('GET /v1/numbers/100000?size=10000 HTTP/1.1');
    socket.pause();
    let before = -1;
    while (stream.given !== before || before < 2) {
      before = stream.given;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(stream.given).toBeLessThan(10_000);
    socket.destroy();
    await until(() => stream.ended);
  });

  it('ends its source when the caller leaves, and nobody calls that an error', async () => {
    const socket = await ask('GET /v1/numbers/never HTTP/1.1');
    await once(socket, 'data');
    expect(stream.ended).toBe(false);
    socket.destroy();
    await until(() => stream.ended);
    expect(api.recorded.logged).toEqual([]);
  });
});
