import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Random } from '../../storage/embedded/fuzz/random.ts';
import { rounds } from '../../support/long.ts';
import { type SluiceProcess, startProcess } from '../../support/process.ts';
import { type Malformed, malformed } from './malformed-requests.ts';

let directory: string;
let sluice: SluiceProcess;
let keys: { workspace_api_key: string; admin_api_key: string };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-malformed-'));
  sluice = await startProcess(directory);
  keys = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'));
});
afterAll(async () => {
  await sluice.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** Everything that comes back until the service closes the connection. */
function exchange({ bytes, leaves, ends }: Malformed): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(sluice.url).port), '127.0.0.1');
    const received: Buffer[] = [];
    const hangs = setTimeout(() => {
      socket.destroy();
      reject(new Error(`No end of the answer to ${JSON.stringify(bytes.toString('latin1').slice(0, 300))}`));
    }, 25_000);
    socket.on('data', (chunk) => received.push(chunk));
    // Who sends what cannot be read may find the connection closed on it.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(hangs);
      resolve(Buffer.concat(received).toString('latin1'));
    });
    if (leaves) socket.write(bytes, () => socket.destroy());
    else if (ends) socket.end(bytes);
    else socket.write(bytes);
  });
}

type Answer = { status: number; head: string; body: string };

/** The answers in what came back, as their lengths divide it. */
function answersIn(text: string): Answer[] {
  const found: Answer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    const head = text.slice(at, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    expect([status > 99, end > 0]).toEqual([true, true]);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const hasBody = status >= 200 && status !== 204 && status !== 304;
    const chunked = /^transfer-encoding: chunked/im.test(head);
    const body = text.slice(end + 4, chunked ? undefined : end + 4 + (hasBody ? length : 0));
    found.push({ status, head, body });
    at = end + 4 + body.length;
    // The body of an answer to HEAD is not there.
    if (!/^HTTP\//.test(text.slice(at))) break;
  }
  return found;
}

const closing = { headers: { connection: 'close' } };

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${sluice.url}/metrics`, closing)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Connections that the service has not closed, by Linux' own list. */
async function openConnections(): Promise<number> {
  const port = Number(new URL(sluice.url).port).toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  // ESTABLISHED and CLOSE_WAIT; the test itself keeps no connection.
  return lines.filter((line) => new RegExp(`^ *\\d+: \\w+:${port} \\w+:\\w+ (01|08) `).test(line)).length;
}

/** Sends the requests of these numbers, several at a time; answers how many of each kind ended how. */
async function sendAll(first: number, end: number): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  let next = first;
  const sender = async () => {
    while (next < end) {
      // Each request has a seed of its own, so that one can be sent again by its number.
      const number = next++;
      const random = new Random(number);
      const key = random.chance(0.7) ? keys.workspace_api_key : keys.admin_api_key;
      const request = malformed(random, key);
      for (const answer of answersIn(await exchange(request))) {
        const outcome = `${request.kind} ${Math.floor(answer.status / 100)}xx`;
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        if (answer.status < 500) continue;
        throw new Error(
          `Request ${number}: ${answer.head}\n${answer.body}\n\n${JSON.stringify(request.bytes.toString('latin1').slice(0, 500))}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, sender));
  return seen;
}

const requests = rounds(1000, 5000);

test(`${requests} malformed requests: no 500, no hang, no leak, and the service as well as before`, async () => {
  const seen = await sendAll(0, requests / 5);
  const memory = await metric('sluice_process_resident_memory_bytes');
  for (const [outcome, count] of await sendAll(requests / 5, requests)) {
    seen.set(outcome, (seen.get(outcome) ?? 0) + count);
  }
  for (const kind of ['value', 'query', 'json', 'bytes', 'type', 'path', 'method', 'header', 'framing']) {
    expect([kind, (seen.get(`${kind} 4xx`) ?? 0) > 20]).toEqual([kind, true]);
  }
  while ((await openConnections()) > 0) await pause(50);
  expect((await metric('sluice_process_resident_memory_bytes')) - memory).toBeLessThan(256 * 1024 * 1024);
  expect((await fetch(`${sluice.url}/readyz`, closing)).status).toBe(200);
  const made = await fetch(`${sluice.url}/v1/configs`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': keys.workspace_api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'After all that', config: { provider: '@mock' } }),
  });
  expect(made.status).toBe(200);
  expect(sluice.output()).not.toContain('"level":"error"');
}, 600_000);
