import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { startEmbedded } from '../../../src/storage/embedded/index.ts';
import { testDatabase } from '../../support/database.ts';
import { type SluiceProcess, startProcess } from '../../support/process.ts';
import {
  openSubscriptions,
  type Results,
  type SubscriptionClient,
  socketClient,
  streamClient,
  until,
} from '../../support/subscriptions.ts';

let directory: string;
let server: Awaited<ReturnType<typeof startEmbedded>> | null = null;
let database: ReturnType<typeof testDatabase>;
let env: Record<string, string>;
let processes: SluiceProcess[] = [];
let key: string;
const clients: SubscriptionClient[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-processes-'));
  database = testDatabase();
  if (!database.uri)
    server = await startEmbedded({ directory: join(directory, 'db'), databaseName: 'sluice' });
  env = {
    MONGODB_URI: server?.uri ?? database.uri,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  processes = [await startProcess(join(directory, '0'), env)];
  processes.push(await startProcess(join(directory, '1'), env));
  key = JSON.parse(await readFile(join(directory, '0', 'bootstrap.json'), 'utf8')).workspace_api_key;
}, 120_000);
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const { url } of processes) await until(async () => (await openSubscriptions(url)) === 0);
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill('SIGTERM')));
  await server?.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const urlOf = (at: number): string => processes[at]?.url ?? '';

async function tail(at: number, traceId: string, open = socketClient): Promise<Results> {
  const before = await openSubscriptions(urlOf(at));
  const client = open(urlOf(at), key);
  clients.push(client);
  const results = client.subscribe(
    'subscription ($traceId: String) { logAdded(filters: { traceId: $traceId }) { id requestUrl } }',
    { traceId },
  );
  await until(async () => (await openSubscriptions(urlOf(at))) > before);
  return results;
}

async function insert(at: number, traceId: string, url: string): Promise<void> {
  const log = { request: { url, body: {} }, response: { body: {} }, metadata: { trace_id: traceId } };
  const response = await fetch(`${urlOf(at)}/graphql`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'mutation ($log: JSON!) { insertLogs(input: $log) }', variables: { log } }),
  });
  expect(await response.json()).toEqual({ data: { insertLogs: 1 } });
}

async function take(results: Results, count: number): Promise<string[]> {
  const urls: string[] = [];
  while (urls.length < count) urls.push((await results.next())?.data?.logAdded.requestUrl);
  return urls;
}

describe('two processes over one database', () => {
  it("see each other's logs once and in one order, however many are written at the same time", async () => {
    const tails = [await tail(0, 'many'), await tail(1, 'many'), await tail(1, 'many', streamClient)];
    const urls = Array.from({ length: 200 }, (_, at) => `/number/${at}`);
    await Promise.all(urls.map((url, at) => insert(at % 2, 'many', url)));
    const [first = [], ...others] = await Promise.all(tails.map((results) => take(results, 200)));
    expect(first.toSorted()).toEqual(urls.toSorted());
    for (const other of others) expect(other).toEqual(first);
    await insert(0, 'many', '/last');
    for (const results of tails) expect(await take(results, 1)).toEqual(['/last']);
  }, 120_000);

  it('go on when one of them is killed and comes back', async () => {
    const staying = await tail(0, 'restart');
    await insert(1, 'restart', '/before');
    expect(await take(staying, 1)).toEqual(['/before']);
    await processes[1]?.kill('SIGKILL');
    await insert(0, 'restart', '/meanwhile');
    processes[1] = await startProcess(join(directory, '1'), env);
    const returning = await tail(1, 'restart');
    await insert(1, 'restart', '/after');
    expect(await take(staying, 2)).toEqual(['/meanwhile', '/after']);
    expect(await take(returning, 1)).toEqual(['/after']);
    expect([staying.waiting(), returning.waiting()]).toEqual([[], []]);
  }, 120_000);

  it('close what is open when they are told to stop', async () => {
    const socket = new WebSocket(`${urlOf(1).replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    const overSocket = await tail(1, 'stop');
    const overStream = await tail(1, 'stop', streamClient);
    const ended = Promise.allSettled([overSocket.next(), overStream.next()]);
    expect(await processes[1]?.kill('SIGTERM')).toBe(0);
    expect(await closed).toBe(1001);
    // Not as if they were complete: clients come again, and find another process.
    expect(await ended).toMatchObject([
      { status: 'rejected', reason: { code: 1001 } },
      { status: 'rejected' },
    ]);
    processes[1] = await startProcess(join(directory, '1'), env);
  }, 120_000);
});
