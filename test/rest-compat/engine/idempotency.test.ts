import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keptAnswerModel } from '../../../src/storage/kept-answers.ts';
import { leaseModel } from '../../../src/storage/leases.ts';
import { dump, dumpResources, makeKey } from '../../subgraphs/support.ts';
import { type Answer, startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { bodyOf, refusalOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-idempotency-'));
  app = await startApp({ DATA_DIR: directory });
  neighbour = await app.createTenant();
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

let keys = 0;
const newKey = () => `key-${keys++}`;
const config = { provider: '@mock' };

const create = (key: string, body: unknown = { name: 'Once', config }, credential = app.workspaceKey) =>
  app.rest('POST', '/v1/configs', { key: credential, body, headers: { 'idempotency-key': key } });
const idOf = (answer: Answer): string => bodyOf(answer).data.id;
const configs = () => app.db.collection('configs').countDocuments();
const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed');

describe('a create with an Idempotency-Key', () => {
  it('runs once and is answered the same every time', async () => {
    const key = newKey();
    const first = await create(key);
    const count = await configs();
    const second = await create(key);
    expect([replayed(first), replayed(second)]).toEqual([null, 'true']);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await configs()).toBe(count);
    expect(idOf(await create(newKey()))).not.toBe(idOf(first));
  });

  it('runs once, however many come at once: the others are told to come again', async () => {
    const key = newKey();
    const count = await configs();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(key)));
    expect(await configs()).toBe(count + 1);
    for (const answer of answers) {
      if (answer.status === 200) continue;
      expect(refusalOf(answer)).toMatchObject({ status: 409, code: 'AB07' });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    const made = answers.filter(({ status }) => status === 200).map(idOf);
    expect(new Set([...made, idOf(await create(key))]).size).toBe(1);
  });

  it('refuses the key for any other request', async () => {
    const key = newKey();
    await create(key);
    const before = await dumpResources(app);
    const other = { name: 'Other', config };
    expect(refusalOf(await create(key, other))).toEqual({
      status: 422,
      code: 'AB01',
      param: 'idempotency-key',
    });
    const elsewhere = await app.rest('POST', '/v1/providers', {
      body: { name: 'Once', config },
      headers: { 'idempotency-key': key },
    });
    expect(elsewhere.status).toBe(422);
    expect(await dumpResources(app)).toBe(before);
  });

  it('shares its key with no other credential and no other organisation', async () => {
    const key = newKey();
    const first = idOf(await create(key));
    const second = await makeKey(app, 'workspace-service');
    expect(idOf(await create(key, undefined, second))).not.toBe(first);
    const theirs = await create(key, { name: 'Once', config }, neighbour.workspaceKey);
    expect(idOf(theirs)).not.toBe(first);
    expect(replayed(theirs)).toBeNull();
  });

  it('leaves the key free when it fails', async () => {
    const key = newKey();
    expect((await create(key, { name: 1, config })).status).toBe(400);
    expect((await create(key, { name: 'Once', config, foo: 1 })).status).toBe(400);
    expect((await create(key)).status).toBe(200);
  });

  it('takes visible characters only, as many as 255', async () => {
    for (const key of ['', 'two words', 'x'.repeat(256), 'é']) {
      expect(refusalOf(await create(key))).toMatchObject({ status: 400, param: 'idempotency-key' });
    }
    expect((await create('x'.repeat(255))).status).toBe(200);
  });

  it('is nothing without a credential, and no longer answers who lost the right to ask', async () => {
    const key = newKey();
    const limited = await makeKey(app, 'workspace-service');
    await create(key, undefined, limited);
    expect((await create(key, undefined, limited)).status).toBe(200);
    const kept = await keptAnswerModel(app.db).countDocuments();
    const anonymous = await app.rest('POST', '/v1/configs', {
      key: null,
      body: { name: 'Once', config },
      headers: { 'idempotency-key': key },
    });
    expect(anonymous.status).toBe(401);
    expect(await keptAnswerModel(app.db).countDocuments()).toBe(kept);
    const { data } = bodyOf(await app.rest('GET', '/v1/api-keys', { key: app.adminKey }));
    for (const { id, name } of data as { id: string; name: string }[]) {
      if (name !== 'limited') continue;
      await app.rest('PUT', `/v1/api-keys/${id}`, {
        key: app.adminKey,
        body: { scopes: ['configs.read'] },
      });
    }
    expect((await create(key, undefined, limited)).status).toBe(403);
  });

  it('runs again when the process that ran it died on the way', async () => {
    const key = newKey();
    await create(key);
    const last = await keptAnswerModel(app.db).findOne().sort({ expiresAt: -1 }).lean();
    const lease = { _id: `once ${last?._id}`, owner: 'dead', until: new Date(Date.now() + 600_000) };
    await keptAnswerModel(app.db).deleteOne({ _id: last?._id });
    await leaseModel(app.db).create(lease);
    expect((await create(key)).status).toBe(409);
    await leaseModel(app.db).updateOne({ _id: lease._id }, { $set: { until: new Date() } });
    const answer = await create(key);
    expect([answer.status, replayed(answer)]).toEqual([200, null]);
  });

  it('is forgotten after 24 hours', async () => {
    const key = newKey();
    const first = idOf(await create(key));
    const hours = 60 * 60 * 1000;
    const [newest] = await keptAnswerModel(app.db).find().sort({ expiresAt: -1 }).limit(1).lean();
    const left = (newest?.expiresAt.getTime() ?? 0) - Date.now();
    expect([left > 23 * hours, left <= 24 * hours]).toEqual([true, true]);
    const indexes = await keptAnswerModel(app.db).collection.indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
    await keptAnswerModel(app.db).updateOne({ _id: newest?._id }, { $set: { expiresAt: new Date() } });
    expect(idOf(await create(key))).not.toBe(first);
  });
});

it('a secret that is shown once is shown again to who repeats the request, and readable nowhere else', async () => {
  const make = () =>
    app.rest('POST', '/v1/api-keys/workspace/service', {
      key: app.adminKey,
      body: { name: 'Shown once', workspace_id: app.workspaceId, scopes: ['configs.read'] },
      headers: { 'idempotency-key': 'secret' },
    });
  const { key } = bodyOf(await make());
  expect(key).toMatch(/^sl-/);
  expect(bodyOf(await make()).key).toBe(key);
  expect(await dump(app)).not.toContain(key);
  let searched = 0;
  for (const file of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name)).catch((error: NodeJS.ErrnoException) => {
      // The service goes on meanwhile: what is written beside a file takes its place, and its own name is gone.
      if (error.code !== 'ENOENT') throw error;
      return null;
    });
    if (bytes === null) continue;
    searched++;
    expect([file.name, bytes.includes(key)]).toEqual([file.name, false]);
  }
  expect(searched).toBeGreaterThan(0);
});
