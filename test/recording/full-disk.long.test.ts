import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mountDisk } from '../../scripts/prove-full-disk/disk.ts';
import { uuid } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createLogThread } from '../../src/recording/log/thread/log-thread.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { draftOf } from '../support/logs.ts';

// Who may not mount proves the same with `npm run prove:full-disk`, which asks the system for a namespace of its own.
const isRoot = process.getuid?.() === 0;
const onDisk = isRoot ? test : test.skip;
if (!isRoot)
  process.stderr.write('not run: only root can mount a small file system; see npm run prove:full-disk\n');

let directory: string;
let disk: ReturnType<typeof mountDisk>;
let app: TestApp;
let token: string;

beforeAll(async () => {
  if (!isRoot) return;
  directory = await mkdtemp(join(tmpdir(), 'sluice-full-disk-'));
  disk = mountDisk(directory, 48);
  app = await startApp({ DATA_DIR: directory, MONGODB_URI: '' });
  token = await app.token();
});
afterAll(async () => {
  if (!isRoot) return;
  await app.stop();
  disk.unmount();
  await rm(directory, { recursive: true, force: true });
});

let count = 0;
const createConfig = () =>
  app.rest('POST', '/v1/configs', { body: { name: `config ${count++}`, config: { provider: '@mock' } } });
const policy = () => ({
  ...{ key: null, headers: { authorization: `Bearer ${token}` } },
  body: {
    principal: `admin@${app.tsgId}.iam.sluice.local`,
    role: 'view_only_admin',
    resource: `prn:${app.tsgId}::::`,
  },
});

/** Until the log of the store, which is written over in its place, is used up as well. */
async function fillDisk(): Promise<void> {
  disk.fill();
  while ((await createConfig()).status === 200);
}

const createThread = () =>
  createLogThread(
    {
      ...{ maskedHeaders: [], bodies: 'full', maxBodyBytes: 1000, retentionDays: 30, bodyRetentionDays: 30 },
      ...{ traceCollector: null, uri: app.databaseUri, logLevel: 'silent' },
      spoolDirectory: join(directory, 'other-spool'),
      overflowKey: createSecretKey(randomBytes(32).fill(1)),
    },
    createLogger('silent'),
    () => undefined,
  );

onDisk(
  'every door says that the disk is full, while inference and reads go on, and the audit entries come in later',
  async () => {
    await fillDisk();
    const message = 'The disk of the store is full, so nothing was changed. Reads and inference go on.';
    const error = { message, type: 'api_error', param: null, code: 'AB04' };
    expect(await createConfig()).toMatchObject({ status: 507, body: { error } });
    expect(await app.rest('POST', '/iam/v1/access_policies', policy())).toMatchObject({
      status: 507,
      body: { error },
    });
    const answer = await app.graphql('mutation { createWorkspace(input: { name: "one" }) { id } }');
    expect(answer.errors).toMatchObject([{ message, extensions: { code: 'STORE_FULL' } }]);
    expect((await app.rest('GET', '/v1/configs')).status).toBe(200);
    expect((await app.token()).length).toBeGreaterThan(100);
    const body = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'hi' }] };
    expect((await app.rest('POST', '/v1/chat/completions', { body })).status).toBe(200);
    expect(await app.rest('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { ready: true, status: 'degraded', database: 'up', disk: 'full' },
    });

    disk.free();
    const stored = (filter: object) => app.db.collection('audit_logs').countDocuments(filter);
    while ((await stored({ resourceType: 'workspace', responseStatusCode: 507 })) < 1) await sleep(100);
    expect(await stored({ resourceType: 'access_policy', outcome: 'failed' })).toBe(1);
    expect(await stored({ resourceType: 'config' })).toBe(count);
    await app.logged();
    expect(await app.db.collection('logs').countDocuments({})).toBe(1);
    while ((await readdir(join(directory, 'spool'))).length > 0) await sleep(100);
  },
);

onDisk('logs that wait on a disk that is full stay there until they are stored', async () => {
  const traceId = uuid();
  const add = (thread: ReturnType<typeof createThread>) => {
    const draft = draftOf();
    thread.add({ ...draft, record: { ...draft.record, traceId } });
  };
  const stored = () => app.db.collection('logs').countDocuments({ traceId });
  const waiting = async () => (await readdir(join(directory, 'other-spool'))).length;
  const first = createThread();
  // Not started: there is no thread that would take them.
  for (let each = 0; each < 50; each++) add(first);
  await first.stop();
  await fillDisk();

  const second = createThread();
  second.start();
  add(second);
  await sleep(1500);
  // In memory, and lost by the stop, is the one that came while nothing had room.
  await second.stop();
  expect(second.counters.dropped).toBe(1);
  expect(await waiting()).toBe(1);

  const third = createThread();
  third.start();
  for (let each = 0; each < 20; each++) add(third);
  await sleep(500);
  expect(await stored()).toBe(0);
  disk.free();
  while ((await stored()) < 70) await third.drain();
  await third.stop();
  expect(third.counters.dropped).toBe(0);
  expect(await stored()).toBe(70);
  expect(await waiting()).toBe(0);
});
