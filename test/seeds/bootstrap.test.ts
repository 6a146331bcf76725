import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { type Bootstrap, bootstrap } from '../../seeds/bootstrap.ts';
import { openStorage, type Storage } from '../../src/storage/connection.ts';
import { checkMasterKey } from '../../src/storage/master-key.ts';
import { createSecrets, type Secrets } from '../../src/storage/secrets.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

const secrets = createSecrets(randomBytes(32));

let root: string;
let database: TestDatabase;
let storage: Storage;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-bootstrap-'));
  database = testDatabase();
  storage = await openStorage({ dataDirectory: root, mongodbUri: database.uri || null });
  await checkMasterKey(storage.db, secrets.fingerprint);
});
afterEach(async () => {
  await storage.stop();
  await database.drop();
  await rm(root, { recursive: true, force: true });
});

const run = (dataDirectory = root, own: Secrets = secrets) =>
  bootstrap({
    db: storage.db,
    secrets: own,
    dataDirectory,
    url: 'http://127.0.0.1:1',
    serviceAccountDomain: 'sluice.local',
  });
const file = async () => JSON.parse(await readFile(join(root, 'bootstrap.json'), 'utf8')) as Bootstrap;
const installation = () => storage.db.collection<{ _id: string }>('installation');
const count = (name: string) => storage.db.collection(name).countDocuments({});
const counts = async () =>
  Promise.all(
    [
      ...['organisations', 'workspaces', 'api_keys', 'integrations', 'providers'],
      ...['tenants', 'service_accounts', 'access_policies'],
    ].map(count),
  );
const seeded = [1, 1, 2, 1, 1, 1, 1, 1];

test.each([
  ['after the file was written', ['seedOwner', 'seededAt']],
  ['after the database was claimed', ['seededAt']],
])('a first start that was killed %s is completed with the same keys', async (_when, forgotten) => {
  const first = await run();
  await installation().updateOne(
    { _id: 'installation' },
    { $unset: Object.fromEntries(forgotten.map((name) => [name, 1 as const])) },
  );
  for (const name of ['organisations', 'providers']) await storage.db.collection(name).deleteMany({});
  expect(await run()).toEqual(first);
  expect(await file()).toEqual(first);
  expect(await counts()).toEqual(seeded);
});

test('a start that fails while it seeds leaves no file, and the next one completes it with the same keys', async () => {
  const made: string[] = [];
  const generateKey = () => {
    made.push(secrets.generateKey());
    return made.at(-1) ?? '';
  };
  const hash = () => {
    throw new Error('killed');
  };
  await expect(run(root, { ...secrets, generateKey, hash })).rejects.toThrow('killed');
  await expect(file()).rejects.toThrow('ENOENT');
  const second = await run();
  expect([second?.admin_api_key, second?.workspace_api_key, second?.client_secret]).toEqual(made);
  expect(await file()).toEqual(second);
  expect(await counts()).toEqual(seeded);
});

test('a start that was killed before the file was written leaves a database that can still be seeded', async () => {
  expect(await installation().findOne({ _id: 'installation' })).not.toHaveProperty('seedOwner');
  expect(await run()).toEqual(await file());
  expect(await counts()).toEqual(seeded);
});

test('a second process on the same database seeds nothing and keeps no keys', async () => {
  await run();
  const other = await mkdtemp(join(root, 'other-'));
  expect(await run(other)).toBeNull();
  expect(await readdir(other)).toEqual([]);
  expect(await counts()).toEqual(seeded);
});

test('of two processes that start at once, one seeds', async () => {
  const directories = [await mkdtemp(join(root, 'a-')), await mkdtemp(join(root, 'b-'))];
  const results = await Promise.all(directories.map((directory) => run(directory)));
  expect(results.filter((result) => result !== null)).toHaveLength(1);
  expect(await counts()).toEqual(seeded);
});

describe('an installation that was seeded before there were tenants', () => {
  const accountOf = ({ tsg_id, client_id, client_secret }: Bootstrap) => ({
    tsg_id,
    client_id,
    client_secret,
  });
  const keysOf = ({ admin_api_key, workspace_api_key }: Bootstrap) => ({ admin_api_key, workspace_api_key });
  let before: Bootstrap;

  beforeEach(async () => {
    before = (await run()) ?? (await file());
    const { tsg_id, client_id, client_secret, ...old } = before;
    await writeFile(join(root, 'bootstrap.json'), JSON.stringify(old));
    for (const name of ['tenants', 'service_accounts', 'access_policies', 'providers']) {
      await storage.db.collection(name).deleteMany({});
    }
  });

  it('gets its tenant and account, keeps its keys, and gets back nothing that was deleted', async () => {
    const after = await run();
    expect(after).toEqual(await file());
    expect(after && keysOf(after)).toEqual(keysOf(before));
    expect(after).toEqual({
      ...before,
      tsg_id: expect.stringMatching(/^[1-9][0-9]{9}$/),
      client_id: expect.any(String),
      client_secret: expect.stringMatching(/^sl-/),
    });
    expect(await counts()).toEqual([1, 1, 2, 1, 0, 1, 1, 1]);
    expect(await run()).toEqual(after);
    expect(await counts()).toEqual([1, 1, 2, 1, 0, 1, 1, 1]);
  });

  it('gets them whole where the start was killed half-way', async () => {
    const hash = () => {
      throw new Error('killed');
    };
    await expect(run(root, { ...secrets, hash })).rejects.toThrow('killed');
    const draft = JSON.parse(await readFile(join(root, 'bootstrap.json.draft'), 'utf8')) as Bootstrap;
    const after = await run();
    expect(after && accountOf(after)).toEqual(accountOf(draft));
    expect(await file()).toEqual(after);
    expect(await counts()).toEqual([1, 1, 2, 1, 0, 1, 1, 1]);
  });
});
