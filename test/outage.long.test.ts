import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from './support/app.ts';
import { setUpBy } from './support/installation.ts';

let app: TestApp;
let database: ChildProcess;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-outage-'));
  const data = join(directory, 'data');
  database = fork(join(import.meta.dirname, 'support/database-process.ts'), [join(directory, 'db')], {
    execArgv: [],
  });
  const uri = await new Promise<string>((resolve) =>
    database.once('message', (message) => resolve(String(message))),
  );
  app = await startApp({ MONGODB_URI: uri, DATA_DIR: data });
});
afterAll(async () => {
  database.kill('SIGCONT');
  await app.stop();
  database.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

const chat = (trace: string, credential: { key?: string; headers?: Record<string, string> } = {}) =>
  app.rest('POST', '/v1/chat/completions', {
    ...credential,
    headers: { 'x-gateway-trace-id': trace, ...credential.headers },
    body: { model: '@mock/mock-1', messages: [{ role: 'user', content: 'hi' }] },
  });

/** What a load balancer reads; the gateway stays ready, since it serves from memory. */
const readiness = async () => {
  const { status, body } = await app.rest('GET', '/readyz', { key: null });
  return { code: status, ...(body as { ready: boolean; status: string }) };
};

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(100);
}

test('a database that hangs: known keys and access tokens are served, the rest is told, records go to disk and come in later', async () => {
  await setUpBy(app, app);
  const installation = '{ installation { databaseUp storage ownerExists } }';
  const running = async () => (await app.graphql(installation, {}, app.adminKey)).data.installation;
  expect(await running()).toEqual({ databaseUp: true, storage: 'embedded', ownerExists: false });
  const account = { key: await app.token(), headers: { 'x-gateway-workspace-id': app.workspaceId } };
  expect((await chat('before')).status).toBe(200);
  expect((await chat('token-before', account)).status).toBe(200);
  expect(await readiness()).toMatchObject({ code: 200, ready: true, status: 'ok' });
  database.kill('SIGSTOP');
  expect((await chat('during')).status).toBe(200);
  expect((await chat('token-during', account)).status).toBe(200);
  await until(async () => (await readiness()).status === 'degraded');
  expect(await readiness()).toMatchObject({ code: 200, ready: true, database: 'down' });
  // Each waits for the database as long as it may.
  const [administration, refused, shown] = await Promise.all([
    app.rest('GET', '/v1/configs'),
    app.rest('POST', '/v1/admin/workspaces', { body: { name: 'refused while away' } }),
    running(),
    expect(app.token()).rejects.toThrow('"error":"temporarily_unavailable"'),
  ]);
  expect(administration).toMatchObject({ status: 503, body: { error: { code: 'AB04' } } });
  expect(refused.status).toBe(403);
  expect(shown).toEqual({ databaseUp: false, storage: 'embedded', ownerExists: null });
  const spool = join(directory, 'data', 'spool');
  await until(async () => {
    const names = await readdir(spool).catch(() => [] as string[]);
    return (
      names.some((name) => name.startsWith('overflow-')) && names.some((name) => name.startsWith('audit-'))
    );
  });

  database.kill('SIGCONT');
  await until(async () => (await readiness()).status === 'ok');
  await until(async () => (await readdir(spool)).length === 0);
  const logs = await app.db.collection('logs').find({}).toArray();
  expect(logs.map(({ traceId }) => traceId).toSorted()).toEqual([
    'before',
    'during',
    'token-before',
    'token-during',
  ]);
  const audit = await app.db.collection('audit_logs').find({ resourceType: 'workspace' }).toArray();
  // Its place in the chain is the one it gets when it comes in.
  expect(audit).toMatchObject([{ outcome: 'refused', sequence: 1, previousHash: null }]);
}, 90_000);
