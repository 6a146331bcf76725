import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuid } from '../../src/lib/ids.ts';
import { openStorage, type Storage } from '../../src/storage/connection.ts';
import { recogniseInstallation } from '../../src/storage/installation.ts';
import { checkMasterKey } from '../../src/storage/master-key.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let root: string;
let directory: string;
let database: TestDatabase;
let storage: Storage;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-installation-'));
  database = testDatabase();
  storage = await openStorage({ dataDirectory: root, mongodbUri: database.uri || null });
});
afterAll(async () => {
  await storage.stop();
  await database.drop();
  await rm(root, { recursive: true, force: true });
});
beforeEach(async () => {
  directory = await mkdtemp(join(root, 'data-'));
  await storage.db.collection('installation').deleteMany({});
});

/** What a start does of it. */
async function start(at = directory): Promise<boolean> {
  const { isNew, remember } = await recogniseInstallation({ db: storage.db, description: 'database' }, at);
  await checkMasterKey(storage.db, 'fingerprint');
  await remember();
  return isNew;
}

const noted = (at = directory) => readFile(join(at, 'installation'), 'utf8');

test('a database is new once, and known by its name in every data directory', async () => {
  expect(await start()).toBe(true);
  expect(await start()).toBe(false);
  const other = await mkdtemp(join(root, 'other-'));
  expect(await start(other)).toBe(false);
  expect(await noted(other)).toBe(await noted());
});

test.each(['installation', 'bootstrap.json'])('an empty database beside %s is refused', async (name) => {
  await writeFile(join(directory, name), '{}');
  await expect(start()).rejects.toThrow(
    `The database is empty, although ${directory} has ${name} of an installation: restore a backup, or remove ${name} from there`,
  );
  await rm(join(directory, name));
  expect(await start()).toBe(true);
});

test('a key that was put there before the first start is no trace of an earlier one', async () => {
  await writeFile(join(directory, 'encryption.key'), 'key');
  expect(await start()).toBe(true);
});

test('a database in the place of another is refused until the operator says otherwise', async () => {
  await start();
  await storage.db
    .collection<{ _id: string }>('installation')
    .updateOne({ _id: 'installation' }, { $set: { id: uuid() } });
  await expect(start()).rejects.toThrow('The database belongs to another installation than');
  await rm(join(directory, 'installation'));
  expect(await start()).toBe(false);
  expect(await start()).toBe(false);
});

test('an installation of a version without names, or a backup of one, takes the name of its directory', async () => {
  await checkMasterKey(storage.db, 'fingerprint');
  await writeFile(join(directory, 'bootstrap.json'), '{}');
  expect(await start()).toBe(false);
  const name = await noted();
  await storage.db
    .collection<{ _id: string }>('installation')
    .updateOne({ _id: 'installation' }, { $unset: { id: 1 } });
  await start();
  expect(await noted()).toBe(name);
});
