import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger } from '../../../src/lib/logger.ts';
import { createChanges } from '../../../src/storage/changes.ts';
import { type EmbeddedServer, startEmbedded } from '../../../src/storage/embedded/index.ts';
import { createLeases } from '../../../src/storage/leases.ts';
import { createSecrets } from '../../../src/storage/secrets.ts';
import { revokeAll, rotateNow } from '../../../src/storage/signing-keys/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { dataOf } from '../support.ts';
import { accountWith, tokenOf } from './accounts.ts';
import { asBearer, errorIn, invalid } from './bearer.ts';

const masterKey = randomBytes(32);

let directory: string;
let database: TestDatabase;
let embedded: EmbeddedServer | null;
let first: TestApp;
/** Another process of the same installation. */
let second: TestApp;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  database = testDatabase();
  embedded = database.uri ? null : await startEmbedded({ directory, databaseName: 'sluice' });
  const env = {
    MONGODB_URI: database.uri || (embedded?.uri ?? ''),
    ENCRYPTION_KEY: masterKey.toString('base64'),
  };
  [first, second] = await Promise.all([startApp(env), startApp(env)]);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await embedded?.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const read = (app: TestApp, token: string) => app.rest('GET', '/v2/configs', asBearer(token));
const keysOf = async (app: TestApp) =>
  ((await (await fetch(`${app.url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }).keys.map(
    ({ kid }) => kid,
  );

it('both sign with one key, and take the tokens of each other', async () => {
  expect(await keysOf(second)).toEqual(await keysOf(first));
  const token = await first.token();
  expect((await read(second, token)).status).toBe(200);
  const { clientId, clientSecret, tsgId } = first;
  expect((await read(first, await second.token({ clientId, clientSecret, tsgId }))).status).toBe(200);
});

it('the other refuses a token whose account was deleted', async () => {
  const admin = await first.token();
  const { id, token } = await accountWith(first, admin, 'view_only_admin');
  expect((await read(second, token)).status).toBe(200);
  dataOf(await first.graphql('mutation ($id: ID!) { deleteServiceAccount(id: $id) }', { id }, admin));
  expect(errorIn(await read(first, token))).toEqual(invalid(/is gone/));
  await eventually(async () => expect(errorIn(await read(second, token))).toEqual(invalid(/is gone/)));
});

it('the other acts on a policy that was given or taken away', async () => {
  const admin = await first.token();
  const account = await accountWith(first, admin, 'organisation_member');
  const token = await tokenOf(first, account);
  expect((await read(second, token)).status).toBe(403);
  const input = {
    principal: account.displayName,
    role: 'view_only_admin',
    resource: `prn:${first.tsgId}::::`,
  };
  const create = 'mutation ($input: CreateAccessPolicyInput!) { createAccessPolicy(input: $input) { id } }';
  const { id } = dataOf(await first.graphql(create, { input }, admin)).createAccessPolicy;
  await eventually(async () => expect((await read(second, token)).status).toBe(200));
  dataOf(await first.graphql('mutation ($id: ID!) { deleteAccessPolicy(id: $id) }', { id }, admin));
  await eventually(async () => expect((await read(second, token)).status).toBe(403));
});

it('a rotation of the signing key is known to both, and one that revokes ends every token', async () => {
  const log = createLogger('silent');
  const rotation = {
    db: first.db,
    secrets: createSecrets(masterKey),
    leases: createLeases(log),
    now: () => new Date(),
  };
  const changes = createChanges(first.db, log);
  const token = await first.token();
  const [signing] = await keysOf(first);
  const { _id: next } = await rotateNow(rotation);
  await changes.publish('signing_key');
  for (const app of [first, second]) {
    await eventually(async () => expect(await keysOf(app)).toEqual([signing, next]));
    expect((await read(app, token)).status).toBe(200);
  }
  const { _id: only } = await revokeAll(rotation);
  await changes.publish('signing_key');
  for (const app of [first, second]) {
    await eventually(async () => expect(await keysOf(app)).toEqual([only]));
    expect(errorIn(await read(app, token))).toEqual(invalid(/is not valid/));
    expect((await read(app, await app.token())).status).toBe(200);
  }
});
