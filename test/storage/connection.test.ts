import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openStorage } from '../../src/storage/connection.ts';

test('reads go to the primary, whatever the connection string says', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'sluice-storage-'));
  const first = await openStorage({ dataDirectory, mongodbUri: null });
  const mongodbUri = `${first.uri}&readPreference=secondaryPreferred`;
  const second = await openStorage({ dataDirectory, mongodbUri });
  expect(second.db.getClient().readPreference.mode).toBe('primary');
  await second.stop();
  await first.stop();
  await rm(dataDirectory, { recursive: true, force: true });
});
