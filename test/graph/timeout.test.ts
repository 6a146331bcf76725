import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSafety, defaultSafety } from '../../src/graph/index.ts';
import { openDoor, type SmallDoor } from './small-door.ts';
import { smallContext, smallGraph } from './small-graph.ts';

let release: () => void = () => undefined;
let seen: AbortSignal | undefined;
const begun: string[] = [];
let onBegin: () => void = () => undefined;

const graph = smallGraph({
  sdl: `type Query { wait: String }
    type Mutation { first: Int second: Int @access(anyOf: ["configs.create"]) }`,
  resolvers: {
    Query: {
      wait: (_parent, _args, { signal }) => {
        seen = signal;
        onBegin();
        return new Promise(() => undefined);
      },
    },
    Mutation: {
      first: () =>
        new Promise((resolve) => {
          begun.push('first');
          release = () => resolve(1);
        }),
      second: () => {
        begun.push('second');
        return 2;
      },
    },
  },
});

const context = smallContext();
let door: SmallDoor;
let port: number;

beforeAll(async () => {
  door = await openDoor(graph, context, { safety: createSafety({ ...defaultSafety, timeout: 200 }) });
  ({ port } = door);
});

afterAll(() => door.stop());

const ask = (query: string, signal?: AbortSignal) =>
  fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { 'content-type': 'application/json' },
    ...(signal && { signal }),
  });

describe('an operation that takes too long', () => {
  it('answers 504, and what it waits for is told to stop', async () => {
    const response = await ask('{ wait }');
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'OPERATION_TIMEOUT', http: { status: 504 } } }],
    });
    expect(seen?.aborted).toBe(true);
  });

  it('answers the same when it came in an address', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/graphql?query={wait}`, {
      headers: { 'apollo-require-preflight': 'true' },
    });
    expect(response.status).toBe(504);
  });

  it('begins nothing more', async () => {
    const response = await ask('mutation { first second }');
    expect(response.status).toBe(504);
    release();
    await new Promise(setImmediate);
    expect(begun).toEqual(['first']);
  });

  it('is told to stop when its caller leaves', async () => {
    const caller = new AbortController();
    const running = new Promise<void>((resolve) => {
      onBegin = resolve;
    });
    const left = ask('{ wait }', caller.signal).catch(() => 'left');
    await running;
    const stopped = new Promise((resolve) => seen?.addEventListener('abort', resolve));
    caller.abort();
    await stopped;
    expect(await left).toBe('left');
    expect(seen?.aborted).toBe(true);
  });
});

describe('a body that arrives too slowly', () => {
  it.each(['/graphql'])('answers 408 at %s and closes the connection', async (path) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"query"`,
    );
    await new Promise((resolve) => socket.once('close', resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*did not arrive in time/i);
  });
});
