import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDoor, type SmallDoor } from './small-door.ts';
import { smallContext, smallGraph } from './small-graph.ts';

const graph = smallGraph({ sdl: 'type Query { a: Int }', resolvers: { Query: { a: () => 1 } } });
let door: SmallDoor;

beforeAll(async () => {
  door = await openDoor(graph, smallContext());
});
afterAll(() => door.stop());

async function post(body: Buffer, headers: Record<string, string>) {
  const answer = await fetch(`${door.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: new Uint8Array(body),
  });
  const { data, errors } = (await answer.json()) as any;
  return [answer.status, data ?? errors[0].extensions.code];
}

const query = Buffer.from('{"query":"{ a }"}');
const spaces = Buffer.concat([query, Buffer.alloc(2 * 1024 * 1024, ' ')]);

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('a body packed by %s is unpacked, as far as it is no larger than others', async (coding, pack) => {
  const headers = { 'content-encoding': coding };
  expect(await post(pack(query), headers)).toEqual([200, { a: 1 }]);
  expect(await post(pack(spaces), headers)).toEqual([413, 'BODY_TOO_LARGE']);
  expect(await post(query, headers)).toEqual([400, 'MALFORMED_BODY']);
});

it.each([
  ['content-encoding', 'zstd'],
  ['content-type', 'application/json; charset=latin1'],
])('%s: %s is refused', async (name, value) => {
  expect(await post(query, { [name]: value })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
});

it.each([
  ['utf-8', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), query])],
  ['"UTF-16LE"', Buffer.from(String(query), 'utf16le')],
])('a body in %s is read', async (charset, body) => {
  expect(await post(body, { 'content-type': `Application/JSON; charset=${charset}` })).toEqual([
    200,
    { a: 1 },
  ]);
});
