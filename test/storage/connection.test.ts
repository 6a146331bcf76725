import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openStorage, type Storage } from '../../src/storage/connection.ts';

let dataDirectory: string;
let open: Storage[];

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'sluice-storage-'));
  open = [];
});
afterEach(async () => {
  for (const storage of open.toReversed()) await storage.stop();
  await rm(dataDirectory, { recursive: true, force: true });
});

async function opened(mongodbUri: string | null): Promise<Storage> {
  const storage = await openStorage({ dataDirectory, mongodbUri });
  open.push(storage);
  return storage;
}

test('reads go to the primary, whatever the connection string says', async () => {
  const { uri } = await opened(null);
  const { db } = await opened(`${uri}&readPreference=secondaryPreferred`);
  expect(db.getClient().readPreference.mode).toBe('primary');
});
