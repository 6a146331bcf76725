import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '../support/eventually.ts';
import { rounds } from '../support/long.ts';
import { openDoor, type SmallDoor } from './small-door.ts';
import { smallContext, smallGraph } from './small-graph.ts';

const graph = smallGraph({
  sdl: `type Query { echo(any: JSON, text: String @constraint(maxLength: 9), list: [Int!]): JSON self: Self }
    type Self { self: Self }
    type Mutation { change(any: JSON): JSON }`,
  resolvers: {
    Query: { echo: (_parent, { any }) => any, self: () => ({}) },
    Mutation: { change: (_parent, { any }) => any },
  },
});
const context = smallContext();
let door: SmallDoor;
let port: number;

beforeAll(async () => {
  door = await openDoor(graph, context);
  ({ port } = door);
});

afterAll(() => door.stop());

/** The status that raw bytes are answered with; 0 when the connection closes without an answer. */
function send(bytes: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)));
    socket.end(bytes);
  });
}

const nest = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const queries = [
  '',
  '{',
  '{ echo }',
  '{ nothing }',
  'mutation { change(any: 1) }',
  'subscription { a }',
  'fragment A on Query { ...A } { ...A }',
  'query A { echo } query B { echo }',
  'query ($a: JSON) { echo(any: $a) }',
  'query ($a: Nothing!) { echo(any: $a) }',
  'query ($a: [Int!]!) { echo(list: $a) }',
  '{ echo(text: "\u0000\ud800") }',
  '{ echo(text: "0123456789") }',
  `{ echo(any: ${nest('[', ']', 2_400)}) }`,
  `{ echo(any: ${nest('[', ']', 400)}) }`,
  nest('{ self', '}', 2_400),
  nest('{ ...', '}', 1_200),
  `{ ${'echo '.repeat(4_990)} }`,
  `{ ${'echo @skip(if: true) @skip(if: true)'.repeat(300)} }`,
  `query (${'$a: Int '.repeat(1_000)}) { echo }`,
];
const oddities = [
  null,
  0,
  -1,
  1e308,
  true,
  '',
  'x',
  [],
  {},
  [[]],
  { a: null },
  { __proto__: 1 },
  ['{ echo }'],
];

const requests = fc.record({
  query: fc.oneof(fc.constantFrom<unknown>(...queries), fc.constantFrom<unknown>(...oddities), fc.string()),
  variables: fc.oneof(
    fc.constantFrom<unknown>(...oddities),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue()),
  ),
  operationName: fc.constantFrom<unknown>(undefined, 'A', 'C', ...oddities),
  extensions: fc.constantFrom<unknown>(
    undefined,
    { persistedQuery: { version: 1, sha256Hash: 'x' } },
    ...oddities,
  ),
});

const bodies = fc.oneof(
  requests.map(json),
  requests.map((request) => json([request, request])),
  requests.map((request) => json(request).subarray(0, 20)),
  requests.map((request) => gzipSync(json(request))),
  fc.constantFrom(...oddities.map(json)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(
    Buffer.from(`{"query":"query ($a: JSON) { echo(any: $a) }","variables":{"a":${nest('[', ']', 20_000)}}}`),
  ),
  fc.constant(Buffer.from(`{"query":"{ echo }","x":"${'x'.repeat(1_100_000)}"}`)),
);

const malformed = fc
  .record({
    method: fc.constantFrom(
      'POST',
      'POST',
      'POST',
      'GET',
      'PUT',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'PATCH',
      'NONSENSE',
    ),
    search: fc.constantFrom(
      '',
      '',
      '?',
      '?query=%7Becho%7D',
      '?query=a&query=b',
      '?variables=%7B',
      '?extensions=1',
      '?%ff=%',
    ),
    type: fc.constantFrom(
      'application/json',
      'application/json',
      'application/json; charset=utf-16',
      'application/graphql',
      'text/plain',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      ';;;',
      '',
    ),
    encoding: fc.constantFrom(null, null, null, 'gzip', 'br', 'nonsense'),
    accept: fc.constantFrom('*/*', 'application/json', 'text/html', 'image/png', 'multipart/mixed', ';'),
    body: bodies,
    claimed: fc.constantFrom(0, 0, 0, 0, -5, 5),
  })
  .map(({ method, search, type, encoding, accept, body, claimed }) =>
    Buffer.concat([
      Buffer.from(
        [
          `${method} /graphql${search} HTTP/1.1`,
          'host: x',
          'connection: close',
          `accept: ${accept}`,
          `content-type: ${type}`,
          ...(encoding ? [`content-encoding: ${encoding}`] : []),
          `content-length: ${Math.max(0, body.length + claimed)}`,
          '',
          '',
        ].join('\r\n'),
      ),
      body,
    ]),
  );

it('answers malformed requests without a failure of its own, and the next one as ever', async () => {
  const failures: [number, string][] = [];
  const statuses = new Set<number>();
  const all = fc.sample(malformed, { numRuns: rounds(500, 2_000), seed: 4 });
  for (let at = 0; at < all.length; at += 20) {
    await Promise.all(
      all.slice(at, at + 20).map(async (bytes) => {
        const status = await send(bytes);
        statuses.add(status);
        if (status >= 500) failures.push([status, bytes.toString('latin1').slice(0, 600)]);
      }),
    );
  }
  expect(failures.slice(0, 5)).toEqual([]);
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 405, 413, 415]));
  expect(context.recorded.logged.filter(({ message }) => message !== undefined)).toEqual([]);
  const after = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    body: JSON.stringify({ query: '{ echo(any: "still here") }' }),
    headers: { 'content-type': 'application/json' },
  });
  expect(await after.json()).toEqual({ data: { echo: 'still here' } });
  await eventually(async () => expect(await door.openConnections()).toBeLessThanOrEqual(1));
}, 240_000);
