import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type SluiceProcess, startProcess } from '../../support/process.ts';

let directory: string;
let database: ChildProcess;
let processes: SluiceProcess[] = [];
let key: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-processes-'));
  const script = join(import.meta.dirname, '../../support/database-process.ts');
  database = fork(script, [join(directory, 'db')], { execArgv: [] });
  const uri = await new Promise<string>((resolve) =>
    database.once('message', (text) => resolve(String(text))),
  );
  const env = { MONGODB_URI: uri, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  processes = [await startProcess(join(directory, 'a'), env)];
  processes.push(await startProcess(join(directory, 'b'), env));
  key = JSON.parse(await readFile(join(directory, 'a', 'bootstrap.json'), 'utf8')).workspace_api_key;
}, 120_000);
afterAll(async () => {
  for (const process of processes) await process.kill('SIGKILL');
  database.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** The same request to one process after the other, all at once. */
const toAll = (times: number, method: string, path: string, body: object, headers: Record<string, string>) =>
  Promise.all(
    Array.from({ length: times }, (_, index) =>
      call(processes[index % processes.length], method, path, body, headers),
    ),
  );

async function call(
  process: SluiceProcess | undefined,
  method: string,
  path: string,
  body: object | undefined,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: any; tag: string }> {
  const response = await fetch(`${process?.url}${path}`, {
    method,
    headers: { 'x-gateway-api-key': key, 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, body: await response.json(), tag: response.headers.get('etag') ?? '' };
}

const config = { provider: '@mock' };
const first = () => processes[0];

test('several processes run a create with an Idempotency-Key once', async () => {
  const headers = { 'idempotency-key': 'shared' };
  const answers = await toAll(12, 'POST', '/v1/configs', { name: 'Shared', config }, headers);
  const made = answers.filter(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  for (const process of processes) {
    made.push(await call(process, 'POST', '/v1/configs', { name: 'Shared', config }, headers));
  }
  expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
  const { body } = await call(first(), 'GET', '/v1/configs', undefined);
  expect(body.data).toHaveLength(1);
});

test('several processes let one of many updates with the same If-Match win', async () => {
  const { body } = await call(first(), 'POST', '/v1/configs', { name: 'Contended', config });
  const path = `/v1/configs/${body.data.id}`;
  const { tag } = await call(first(), 'GET', path, undefined);
  const answers = await toAll(
    12,
    'PUT',
    path,
    { config: { ...config, retry: { attempts: 1 } } },
    { 'if-match': tag },
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(412)]);
  const versions = await call(first(), 'GET', `${path}/versions`, undefined);
  expect(versions.body.total).toBe(2);
});
