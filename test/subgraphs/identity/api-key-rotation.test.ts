import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { auditRows, dataOf, dump, dumpResources, errorOf, makeKey } from '../support.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const halfAnHour = 1_800_000;
const fortnight = 1_209_600_000;

type Key = { id: string; key: string };

async function make(more: object = {}): Promise<Key> {
  const document =
    'mutation ($input: CreateWorkspaceServiceApiKeyInput!) { createWorkspaceServiceApiKey(input: $input) { id key } }';
  const input = { name: 'turning', scopes: ['configs.list'], workspaceId: app.workspaceId, ...more };
  return dataOf(await app.graphql(document, { input })).createWorkspaceServiceApiKey;
}

const rotate = (id: string, input: object = {}, key?: string) =>
  app.graphql(
    'mutation ($id: ID!, $input: RotateApiKeyInput!) { rotateApiKey(id: $id, input: $input) { id key keyTransitionExpiresAt } }',
    { id, input },
    key,
  );
const rotated = async (id: string, input?: object) => dataOf(await rotate(id, input)).rotateApiKey;

const read = async (id: string) =>
  dataOf(
    await app.graphql(
      'query ($id: ID!) { apiKey(id: $id) { key lastRotatedAt keyTransitionExpiresAt expiresAt } }',
      { id },
    ),
  ).apiKey;

const change = async (id: string, input: object) =>
  dataOf(
    await app.graphql(
      'mutation ($id: ID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { id } }',
      { id, input },
    ),
  );

/** Which of some secrets are taken now. */
async function taken(...secrets: string[]): Promise<boolean[]> {
  const answers = [];
  for (const secret of secrets) answers.push(await app.graphql('{ configs { total } }', {}, secret));
  for (const { errors } of answers)
    expect([undefined, 'UNAUTHENTICATED']).toContain(errors?.[0]?.extensions.code);
  return answers.map(({ errors }) => errors === undefined);
}

/** What the database holds, and every process hears of, once the transition has run out. */
async function endTransition(id: string, at = new Date(Date.now() - 1)): Promise<void> {
  await app.db
    .collection<{ _id: string }>('api_keys')
    .updateOne({ _id: id }, { $set: { 'previousSecret.expiresAt': at } });
  await change(id, { description: 'Any write tells the processes.' });
}

/** Everything stored, once rotations have been told to whoever is told of them. */
async function calm(): Promise<string> {
  const keys = app.db.collection('api_keys');
  await eventually(async () =>
    expect(await keys.countDocuments({ rotationNews: { $exists: true } })).toBe(0),
  );
  return dumpResources(app);
}

test('a rotation keeps the id, shows the new secret once and lets both work', async () => {
  const { id, key } = await make();
  expect(await read(id)).toMatchObject({ lastRotatedAt: null, keyTransitionExpiresAt: null });
  const started = Date.now();
  const answer = await rotated(id);
  expect(answer).toEqual({
    id,
    key: expect.stringMatching(/^sl-[\w-]{43}$/),
    keyTransitionExpiresAt: expect.any(String),
  });
  expect(answer.key).not.toBe(key);
  const { lastRotatedAt, ...shown } = await read(id);
  expect(shown).toMatchObject({
    key: `sl-***${answer.key.slice(-4)}`,
    keyTransitionExpiresAt: answer.keyTransitionExpiresAt,
  });
  expect(Date.parse(lastRotatedAt)).toBeGreaterThanOrEqual(started);
  expect(Date.parse(answer.keyTransitionExpiresAt) - Date.parse(lastRotatedAt)).toBe(halfAnHour);
  expect(await taken(key, answer.key)).toEqual([true, true]);
  const stored = await dump(app);
  for (const secret of [key, answer.key]) expect(stored).not.toContain(secret);
});

test('both secrets stand for the key as it is now', async () => {
  const { id, key } = await make();
  const { key: renewed } = await rotated(id);
  await change(id, { scopes: ['logs.list'] });
  for (const secret of [key, renewed]) {
    expect(errorOf(await app.graphql('{ configs { total } }', {}, secret)).code).toBe('FORBIDDEN');
  }
});

test('the old secret stops when the transition is over, without any further write', async () => {
  const { id, key } = await make();
  const { key: renewed } = await rotated(id);
  const end = Date.now() + 300;
  await endTransition(id, new Date(end));
  const before = await calm();
  await eventually(async () => expect(await taken(key, renewed)).toEqual([false, true]));
  expect(Date.now()).toBeGreaterThanOrEqual(end);
  expect(await dumpResources(app)).toBe(before);
  expect((await read(id)).keyTransitionExpiresAt).toBeNull();
});

test('the next rotation waits for the end of the transition', async () => {
  const { id, key: first } = await make();
  const { key: second } = await rotated(id);
  const before = await calm();
  expect(errorOf(await rotate(id))).toEqual({ code: 'IN_USE', param: 'id' });
  expect(await dumpResources(app)).toBe(before);
  await endTransition(id);
  const { key: third } = await rotated(id);
  expect(await taken(first, second, third)).toEqual([false, true, true]);
});

test('the old secret does not outlive the key', async () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { id, key } = await make({ expiresAt });
  const { key: renewed, keyTransitionExpiresAt } = await rotated(id);
  expect(keyTransitionExpiresAt).toBe(expiresAt);
  await app.db
    .collection<{ _id: string }>('api_keys')
    .updateOne({ _id: id }, { $set: { expiresAt: new Date(Date.now() - 1) } });
  await change(id, { name: 'ended' });
  expect(await taken(key, renewed)).toEqual([false, false]);
  expect((await read(id)).keyTransitionExpiresAt).toBeNull();
});

test('the old secret gains nothing when the key may live longer', async () => {
  const { id, key } = await make({ expiresAt: new Date(Date.now() + 60_000) });
  const { keyTransitionExpiresAt } = await rotated(id);
  await change(id, { expiresAt: null });
  expect((await read(id)).keyTransitionExpiresAt).toBe(keyTransitionExpiresAt);
  expect(await taken(key)).toEqual([true]);
});

test('a key that has expired is not rotated', async () => {
  const { id } = await make({ expiresAt: new Date(Date.now() + 60_000) });
  await app.db
    .collection<{ _id: string }>('api_keys')
    .updateOne({ _id: id }, { $set: { expiresAt: new Date(1) } });
  const before = await calm();
  expect(errorOf(await rotate(id))).toEqual({ code: 'VALIDATION_FAILED', param: 'id' });
  expect(await dumpResources(app)).toBe(before);
});

test('deleting a key ends both secrets', async () => {
  const { id, key } = await make();
  const { key: renewed } = await rotated(id);
  expect(await taken(key, renewed)).toEqual([true, true]);
  dataOf(await app.graphql('mutation ($id: ID!) { deleteApiKey(id: $id) }', { id }));
  expect(await taken(key, renewed)).toEqual([false, false]);
});

test.each([
  ['30 minutes', halfAnHour],
  ['14 days', fortnight],
])('a transition may take %s', async (_what, keyTransitionPeriodMs) => {
  const { id } = await make();
  const { keyTransitionExpiresAt } = await rotated(id, { keyTransitionPeriodMs });
  const { lastRotatedAt } = await read(id);
  expect(Date.parse(keyTransitionExpiresAt) - Date.parse(lastRotatedAt)).toBe(keyTransitionPeriodMs);
});

test.each([
  ['a moment too short', halfAnHour - 1],
  ['a moment too long', fortnight + 1],
  ['negative', -halfAnHour],
])('a transition that is %s is refused', async (_what, keyTransitionPeriodMs) => {
  const { id } = await make();
  const before = await calm();
  expect(errorOf(await rotate(id, { keyTransitionPeriodMs }))).toEqual({
    code: 'VALIDATION_FAILED',
    param: 'input.keyTransitionPeriodMs',
  });
  expect(await dumpResources(app)).toBe(before);
});

test('a key may rotate itself', async () => {
  const scopes = ['configs.list', 'workspace_service_api_keys.rotate'];
  const { id, key } = await make({ scopes });
  const { key: renewed } = dataOf(await rotate(id, {}, key)).rotateApiKey;
  expect(await taken(key, renewed)).toEqual([true, true]);
});

test('a rotation needs the scope of the type of key, and the scopes that its secret would give', async () => {
  const { id } = await make();
  const ofUsers = await makeKey(app, 'workspace-service', {
    only: ['workspace_user_api_keys.rotate', 'configs.list'],
  });
  const rotates = 'workspace_service_api_keys.rotate';
  const lacksScope = await makeKey(app, 'workspace-service', { only: [rotates] });
  const holds = await makeKey(app, 'workspace-service', { only: [rotates, 'configs.list'] });
  const before = await calm();
  expect(errorOf(await rotate(id, {}, ofUsers)).code).toBe('FORBIDDEN');
  expect((await rotate(id, {}, lacksScope)).errors?.[0]?.message).toContain('configs.list');
  expect(await dumpResources(app)).toBe(before);
  dataOf(await rotate(id, {}, holds));
});

test('an organisation key rotates keys that may do what only workspace keys do', async () => {
  const { id } = await make({ scopes: ['completions.write'] });
  await rotated(id);
});

test('a rotation is in the audit trail, without the secret', async () => {
  const { id } = await make();
  await rotated(id);
  const rows = await auditRows(app, { resourceType: 'api_key', action: 'rotate', targetId: id });
  expect(rows).toEqual([expect.objectContaining({ outcome: 'success' })]);
});
