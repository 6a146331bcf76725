import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { auditRows, dataOf, dump, errorOf, makeKey } from '../support.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Milliseconds by which the apps' clock is ahead. */
let ahead = 0;
const now = () => new Date(Date.now() + ahead);
let app: TestApp;
/** Another process on the same database. */
let other: TestApp;

beforeAll(async () => {
  const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  app = await startApp(env, undefined, now);
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri }, undefined, now);
}, 120_000);
afterAll(async () => {
  await other.stop();
  await app.stop();
});
beforeEach(() => {
  ahead = 0;
});

const fields =
  'id rotationPolicy { rotationPeriod rotationPeriodDays nextRotationAt keyTransitionPeriodMs status } hasUnseenSecret lastRotatedAt keyTransitionExpiresAt alertEmails';

const tryMake = (more: object, key?: string) =>
  app.graphql(
    `mutation ($input: CreateWorkspaceServiceApiKeyInput!) { createWorkspaceServiceApiKey(input: $input) { id key apiKey { ${fields} } } }`,
    { input: { name: 'turning', scopes: ['configs.list'], workspaceId: app.workspaceId, ...more } },
    key,
  );
const make = async (rotationPolicy: object | null, more: object = {}) =>
  dataOf(await tryMake({ rotationPolicy, ...more })).createWorkspaceServiceApiKey;
const read = async (id: string) =>
  dataOf(await app.graphql(`query ($id: ID!) { apiKey(id: $id) { ${fields} } }`, { id })).apiKey;
const reveal = (id: string, key?: string) =>
  app.graphql('mutation ($id: ID!) { revealApiKey(id: $id) { id key keyTransitionExpiresAt } }', { id }, key);
const opens = async (secret: string) =>
  (await other.graphql('{ configs { total } }', {}, secret)).errors === undefined;
const rotations = (id: string) =>
  auditRows(app, { targetId: id, action: 'rotate', userName: 'Rotation policy of turning' });

/** Until the key was rotated by its policy this often. */
const rotatedTimes = (id: string, times: number) =>
  eventually(async () => {
    const rows = await rotations(id);
    expect(rows).toHaveLength(times);
    return rows;
  });

describe('a rotation policy', () => {
  it.each([
    ['weekly', { rotationPeriod: 'weekly' }, 7 * DAY],
    ['of days', { rotationPeriodDays: 10 }, 10 * DAY],
  ])('%s is shown with its first rotation', async (_name, policy, period) => {
    const { apiKey } = await make(policy);
    expect(apiKey.rotationPolicy).toEqual({
      rotationPeriod: null,
      rotationPeriodDays: null,
      ...policy,
      nextRotationAt: expect.any(String),
      keyTransitionPeriodMs: 1_800_000,
      status: 'ACTIVE',
    });
    const expected = Date.now() + period;
    expect(Math.abs(Date.parse(apiKey.rotationPolicy.nextRotationAt) - expected)).toBeLessThan(5000);
  });

  it('is read over REST as the contract has it', async () => {
    const at = new Date(Date.now() + DAY).toISOString();
    const { body } = await app.rest('POST', '/v1/api-keys/workspace/service', {
      key: app.adminKey,
      body: {
        ...{ name: 'rest', workspace_id: app.workspaceId, scopes: ['configs.list'] },
        alert_emails: ['ops@example.com', 'OPS@example.com'],
        rotation_policy: {
          rotation_period: 'monthly',
          next_rotation_at: at,
          key_transition_period_ms: 3_600_000,
        },
      },
    });
    const { id } = body as { id: string };
    const shown = await app.rest('GET', `/v1/api-keys/${id}`, { key: app.adminKey });
    expect(shown.body).toMatchObject({
      alert_emails: ['OPS@example.com'],
      rotation_policy: {
        rotation_period: 'monthly',
        rotation_period_days: null,
        next_rotation_at: at,
        key_transition_period_ms: 3_600_000,
        status: 'ACTIVE',
      },
    });
    await app.rest('PUT', `/v1/api-keys/${id}`, {
      key: app.adminKey,
      body: { rotation_policy: null, alert_emails: [] },
    });
    const cleared = await app.rest('GET', `/v1/api-keys/${id}`, { key: app.adminKey });
    expect(cleared.body).toMatchObject({ rotation_policy: null, alert_emails: [] });
  });

  const policy = 'input.rotationPolicy';
  it.each([
    ['nothing', {}, policy, 'rotation_policy needs rotation_period'],
    [
      'two periods',
      { rotationPeriod: 'weekly', rotationPeriodDays: 3 },
      `${policy}.rotationPeriodDays`,
      'exclude each other',
    ],
    ['a past date', { nextRotationAt: '2020-01-01T00:00:00Z' }, `${policy}.nextRotationAt`, 'in the future'],
    [
      'a transition as long as the period',
      { rotationPeriodDays: 1, keyTransitionPeriodMs: DAY },
      `${policy}.keyTransitionPeriodMs`,
      'less than 86400000',
    ],
    ['no days', { rotationPeriodDays: 0 }, `${policy}.rotationPeriodDays`, 'at least 1'],
    ['too many days', { rotationPeriodDays: 366 }, `${policy}.rotationPeriodDays`, 'at most 365'],
    [
      'a short transition',
      { rotationPeriod: 'weekly', keyTransitionPeriodMs: 1_799_999 },
      `${policy}.keyTransitionPeriodMs`,
      'at least 1800000',
    ],
  ])('with %s is refused, naming the member', async (_name, rotationPolicy, param, message) => {
    const before = await app.db.collection('api_keys').countDocuments();
    const answer = await tryMake({ rotationPolicy });
    expect(errorOf(answer)).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(answer.errors?.[0]?.message).toContain(message);
    expect(await app.db.collection('api_keys').countDocuments()).toBe(before);
  });

  it('gives the key one new secret when it is due, whatever number of processes there is', async () => {
    const { id, key, apiKey } = await make({ rotationPeriod: 'weekly' });
    ahead = 7 * DAY + HOUR;
    const [row] = await rotatedTimes(id, 1);
    expect(row).toMatchObject({ outcome: 'success', userId: id, organisationId: app.organisationId });
    const rotated = await read(id);
    expect(rotated.hasUnseenSecret).toBe(true);
    const first = Date.parse(apiKey.rotationPolicy.nextRotationAt);
    expect(Date.parse(rotated.rotationPolicy.nextRotationAt)).toBe(first + 7 * DAY);
    // Both processes look every second.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await rotations(id)).toHaveLength(1);
    expect(await opens(key)).toBe(true);
  }, 120_000);

  it('makes up for an outage with one rotation, and keeps its days', async () => {
    const { id, apiKey } = await make({ rotationPeriodDays: 10 });
    ahead = 35 * DAY;
    await rotatedTimes(id, 1);
    const first = Date.parse(apiKey.rotationPolicy.nextRotationAt);
    expect(Date.parse((await read(id)).rotationPolicy.nextRotationAt)).toBe(first + 30 * DAY);
  }, 120_000);

  it('of a month keeps to its day, and to the last day of shorter months', async () => {
    const { id } = await make({ rotationPeriod: 'monthly', nextRotationAt: '2027-01-31T12:00:00.000Z' });
    const turns = ['2027-01-31', '2027-02-28', '2027-03-31'];
    for (const [index, day] of turns.entries()) {
      expect((await read(id)).rotationPolicy.nextRotationAt).toBe(`${day}T12:00:00.000Z`);
      ahead = Date.parse(`${day}T12:00:01Z`) - Date.now();
      await rotatedTimes(id, index + 1);
    }
  }, 120_000);

  it('of a date alone is over with that date', async () => {
    const { id } = await make({ nextRotationAt: new Date(Date.now() + HOUR).toISOString() });
    ahead = 2 * HOUR;
    await rotatedTimes(id, 1);
    expect((await read(id)).rotationPolicy).toBeNull();
  }, 120_000);

  it('waits for the end of a transition, so that a key has two secrets at most', async () => {
    const { id } = await make({ nextRotationAt: new Date(Date.now() + HOUR).toISOString() });
    const { rotateApiKey } = dataOf(
      await app.graphql(
        'mutation ($id: ID!) { rotateApiKey(id: $id, input: { keyTransitionPeriodMs: 7200000 }) { keyTransitionExpiresAt } }',
        { id },
      ),
    );
    ahead = HOUR + 1000;
    await eventually(async () =>
      expect((await read(id)).rotationPolicy.nextRotationAt).toBe(rotateApiKey.keyTransitionExpiresAt),
    );
    expect(await rotations(id)).toHaveLength(0);
    ahead = 2 * HOUR + 1000;
    await rotatedTimes(id, 1);
  }, 120_000);

  it('leaves a key alone that has expired', async () => {
    const { id } = await make(
      { rotationPeriod: 'weekly' },
      { expiresAt: new Date(Date.now() + DAY).toISOString() },
    );
    ahead = 8 * DAY;
    const first = (await read(id)).rotationPolicy.nextRotationAt;
    await eventually(async () => expect((await read(id)).rotationPolicy.nextRotationAt).not.toBe(first));
    expect(await rotations(id)).toHaveLength(0);
  }, 120_000);
});

describe('the secret that a policy made', () => {
  async function turned(more: object = {}) {
    const made = await make({ nextRotationAt: new Date(Date.now() + HOUR).toISOString() }, more);
    ahead = 2 * HOUR;
    await rotatedTimes(made.id, 1);
    return made;
  }

  it('is shown once, also to several who ask at once, and works', async () => {
    const { id, key } = await turned();
    const answers = await Promise.all(Array.from({ length: 5 }, () => reveal(id)));
    const shown = answers.filter(({ errors }) => !errors);
    expect(shown).toHaveLength(1);
    const { revealApiKey } = dataOf(shown[0] as (typeof answers)[number]);
    expect(revealApiKey.key).not.toBe(key);
    expect(await opens(revealApiKey.key)).toBe(true);
    expect((await read(id)).hasUnseenSecret).toBe(false);
    expect(errorOf(await reveal(id))).toEqual({ code: 'VALIDATION_FAILED', param: 'id' });
    expect(await dump(app)).not.toContain(revealApiKey.key);
  }, 120_000);

  it('is shown over REST too', async () => {
    const { id } = await turned();
    const { status, body } = await app.rest('POST', `/v1/api-keys/${id}/reveal`, { key: app.adminKey });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id, key: expect.stringMatching(/^sl-/), key_transition_expires_at: expect.any(String) },
    });
  }, 120_000);

  it('is shown to nobody who may not rotate the key, and stays for who may', async () => {
    const { id } = await turned({ scopes: ['configs.list', 'completions.write'] });
    const lacking = await makeKey(app, 'workspace-service', {
      without: ['workspace_service_api_keys.rotate'],
    });
    expect(errorOf(await reveal(id, lacking)).code).toBe('FORBIDDEN');
    const weaker = await makeKey(app, 'workspace-service', { without: ['completions.write'] });
    expect(errorOf(await reveal(id, weaker)).code).toBe('FORBIDDEN');
    const neighbour = await app.createTenant();
    expect(errorOf(await reveal(id, neighbour.adminKey)).code).toBe('NOT_FOUND');
    expect((await read(id)).hasUnseenSecret).toBe(true);
  }, 120_000);

  it('is gone once somebody rotates the key by hand', async () => {
    const { id } = await turned();
    await app.db
      .collection<{ _id: string }>('api_keys')
      .updateOne({ _id: id }, { $unset: { previousSecret: 1 } });
    await app.graphql('mutation ($id: ID!) { rotateApiKey(id: $id) { id } }', { id });
    expect(errorOf(await reveal(id)).code).toBe('VALIDATION_FAILED');
  }, 120_000);
});
