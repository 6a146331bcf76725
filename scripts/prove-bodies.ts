// Floods the real process with bodies that never end and sends slow ones to every door. What is held must stay within its
// bounds, others must be served meanwhile, the memory must come back, and every slow body must end.
//
// `-- <directory>` measures another checkout, such as one of an older version.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Flood, flood } from './prove-bodies/flood.ts';
import { residentMb, startServer } from './prove-bodies/server.ts';
import { drip, type SlowDoor } from './prove-bodies/slow.ts';

const MIB = 1024 * 1024;
/**
 * Megabytes that a flood may add, and that may be left of both after a while. More than the budget: what was read and thrown away
 * waits for the collector, and the allocator keeps the pages between what is still used for the next time.
 */
const MAX_GROWTH = { graph: 300, inference: 400, left: 400 };
const MAX_SECONDS = 55;
const SLOW_LIMIT_MS = 58_000;
const AFTER_MS = 30_000;

const checkout = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-bodies-'));
const sink = createServer((request) => request.resume()).listen(0, '127.0.0.1');
const server = await startServer(checkout, directory);
const broken: string[] = [];
const check = (isKept: boolean, promise: string) => {
  if (!isKept) broken.push(promise);
};

try {
  const { port, key, clientId } = server;
  const withKey = { 'x-gateway-api-key': key };
  const doors: SlowDoor[] = [
    ...['/healthz', '/nope', '/reference', '/invites/x', '/explorer', '/supergraph.graphql'],
    ...['/graphql', '/graphql/stream', '/v1/configs', '/v2/nope', '/oauth2/jwks', '/v1/chat/completions'],
  ].map((path) => ({ name: `POST ${path}` }));
  doors.push(
    { name: 'PATCH /v1/files', headers: withKey },
    { name: 'PUT /v1/chat/completions', headers: withKey },
    { name: 'POST /graphql', headers: withKey },
    { name: 'POST /v1/configs', headers: withKey },
    { name: 'POST /v1/chat/completions', headers: withKey },
    {
      name: 'POST /v1/proxy/uploads',
      headers: {
        ...withKey,
        'content-type': 'application/octet-stream',
        'content-length': String(50 * MIB),
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': `http://127.0.0.1:${(sink.address() as AddressInfo).port}/v1`,
      },
    },
    {
      name: 'POST /oauth2/access_token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${clientId}:wrong`).toString('base64')}`,
      },
    },
  );
  const slow = Promise.all(doors.map((door) => drip(port, door, SLOW_LIMIT_MS)));

  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    await answer.arrayBuffer();
    return answer.status === 200;
  };
  const chat = () =>
    post(
      '/v1/chat/completions',
      { model: '@mock/mock-1', messages: [{ role: 'user', content: 'x' }] },
      withKey,
    );
  const introspect = () => post('/graphql', { query: '{ __typename }' });
  check((await chat()) && (await introspect()), 'small requests are served');

  const json = 'host: x\r\ncontent-type: application/json\r\n';
  const floods: [keyof typeof MAX_GROWTH, Flood, () => Promise<boolean>][] = [
    [
      'graph',
      {
        name: '800 bodies of 1 MiB to /graphql, without a credential',
        connections: 800,
        bytes: MIB,
        head: `POST /graphql HTTP/1.1\r\n${json}`,
      },
      introspect,
    ],
    [
      'inference',
      {
        name: '60 bodies of 15 MiB to /v1/chat/completions, with one key',
        connections: 60,
        bytes: 15 * MIB,
        head: `POST /v1/chat/completions HTTP/1.1\r\n${json}x-gateway-api-key: ${key}\r\n`,
      },
      chat,
    ],
  ];
  const atFirst = await residentMb(server.pid);
  for (const [kind, wave, servesOthers] of floods) {
    const { before, peak, answers, othersServed } = await flood(server, wave, servesOthers);
    console.log(
      `${wave.name}: ${before} MB before, ${peak} MB at the peak; answers ${JSON.stringify(answers)}; ` +
        `small requests meanwhile ${othersServed ? 'served' : 'refused'}.`,
    );
    check(peak - before <= MAX_GROWTH[kind], `${kind}: at most ${MAX_GROWTH[kind]} MB more`);
    check(othersServed, `${kind}: small requests are served meanwhile`);
  }
  const floodedAt = performance.now();

  for (const { name, status, seconds } of await slow) {
    console.log(
      `${name}: ${status}, ${seconds === null ? `open after ${SLOW_LIMIT_MS / 1000} s` : `closed after ${Math.round(seconds)} s`}.`,
    );
    check(seconds !== null && seconds <= MAX_SECONDS, `${name} is closed within ${MAX_SECONDS} s`);
  }
  await sleep(Math.max(0, AFTER_MS - (performance.now() - floodedAt)));
  const left = await residentMb(server.pid);
  const after = Math.round((performance.now() - floodedAt) / 1000);
  console.log(`${atFirst} MB before the floods, ${left} MB ${after} s after them.`);
  check(left - atFirst <= MAX_GROWTH.left, `at most ${MAX_GROWTH.left} MB are left of the floods`);
} finally {
  await server.stop();
  sink.closeAllConnections();
  sink.close();
  await rm(directory, { recursive: true, force: true });
}
for (const promise of broken) console.error(`Not kept: ${promise}.`);
process.exitCode = broken.length === 0 ? 0 : 1;
