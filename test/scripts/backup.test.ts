import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type EmbeddedServer, startEmbedded } from '../../src/storage/embedded/index.ts';
import { temporaryDirectory } from '../storage/embedded/support.ts';

const script = new URL('../../scripts/backup.ts', import.meta.url).pathname;
const data = temporaryDirectory();
let server: EmbeddedServer;

beforeAll(async () => {
  server = await startEmbedded({ directory: join(data.path, 'store') });
  const client = await MongoClient.connect(server.uri);
  await client.db().collection('items').insertOne({ n: 1 });
  await client.close();
});
afterAll(async () => {
  await server.stop();
  data.remove();
});

const run = promisify(execFile);
const backup = (env: Record<string, string>, ...files: string[]): Promise<{ stdout: string }> =>
  run(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...files], {
    env: { PATH: process.env.PATH, ...env },
  });

test('the store of a running service is copied to a file', async () => {
  const file = join(data.path, 'copy.sqlite');
  const { stdout } = await backup({ DATA_DIR: data.path }, file);
  expect(stdout).toMatch(/^Backed up to .*copy\.sqlite \(\d+\.\d MB\)\.\n$/);
  expect(existsSync(file)).toBe(true);
  await expect(backup({ DATA_DIR: data.path }, file)).rejects.toMatchObject({
    code: 1,
    stderr: `the file ${file} exists already\n`,
  });
});

test.each([
  [[], {}, /^Usage: npm run backup/],
  [['x'], { DATA_DIR: '/nonexistent' }, /^No service is running on/],
  [['x'], { MONGODB_URI: 'mongodb://127.0.0.1/x' }, /mongodump/],
])('%j with %j is answered with a reason', async (files, env, reason) => {
  await expect(backup(env as Record<string, string>, ...files)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(reason),
  });
});
