import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countsOf, wrongOnes } from '../../scripts/prove-rotation/judge.ts';
import { rotateUnderLoad } from '../../scripts/prove-rotation/load.ts';
import { startEmbedded } from '../../src/storage/embedded/index.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';

let directory: string;
let store: Awaited<ReturnType<typeof startEmbedded>> | null = null;
let database: ReturnType<typeof testDatabase>;
let databaseUri: string;
let adminKey: string;
const processes: SluiceProcess[] = [];

/** Two processes of one installation. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-key-processes-'));
  database = testDatabase();
  if (!database.uri)
    store = await startEmbedded({ directory: join(directory, 'db'), databaseName: 'sluice' });
  databaseUri = store?.uri ?? database.uri;
  const env = { MONGODB_URI: databaseUri, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  for (const name of ['0', '1']) processes.push(await startProcess(join(directory, name), env));
  adminKey = JSON.parse(await readFile(join(directory, '0', 'bootstrap.json'), 'utf8')).workspace_api_key;
}, 120_000);
afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill('SIGTERM')));
  await store?.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const urlOf = (at: number): string => processes[at]?.url ?? '';

const send = (at: number, method: string, path: string, key: string, body?: object) =>
  fetch(`${urlOf(at)}/v1${path}`, {
    method,
    headers: { 'x-gateway-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });

test('a key that is deleted in one process is refused by the other within a second', async () => {
  const body = { name: 'short', scopes: ['models.list', 'configs.list'] };
  const made = await send(0, 'POST', '/api-keys/workspace/service', adminKey, body);
  const { id, key } = (await made.json()) as { id: string; key: string };
  const statuses = async () => [
    (await send(1, 'GET', '/models', key)).status,
    (await send(1, 'GET', '/configs', key)).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  expect((await send(0, 'DELETE', `/api-keys/${id}`, adminKey)).status).toBe(200);
  expect((await send(0, 'GET', '/models', key)).status).toBe(401);
  await eventually(async () => expect(await statuses()).toEqual([401, 401]), 1000);
});

test('of rotations in both processes at the same time exactly one wins', async () => {
  const made = await send(0, 'POST', '/api-keys/workspace/service', adminKey, {
    name: 'contended',
    scopes: ['models.list'],
  });
  const { id } = (await made.json()) as { id: string };
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => send(index % 2, 'POST', `/api-keys/${id}/rotate`, adminKey)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
});

test('a rotation under load refuses nobody before its end, and the old secret everywhere after it', async () => {
  const { end, calls } = await rotateUnderLoad(
    { urls: processes.map(({ url }) => url), databaseUri, adminKey },
    // The processes need a second to hear of the end.
    { perSecond: 100, before: 200, transition: 2500, after: 300 },
  );
  expect(wrongOnes(calls, end)).toEqual([]);
  for (const { accepted, refused, withNew } of countsOf(calls, end)) {
    expect([accepted, refused, withNew].map((count) => count > 0)).toEqual([true, true, true]);
  }
});
