import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { IndexDirectory } from '../../src/knowledge/index/directory.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

jest.setTimeout(300_000);

// Each app has a data directory of its own, and any of them may index a file.
const env = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), CONTENTS_IN_DATABASE: 'true' };
const [first, second] = ['one', 'two'].map((name) => mkdtempSync(join(tmpdir(), `sluice-removed-${name}-`)));

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp({ ...env, DATA_DIR: first ?? '' });
  other = await startApp({ ...env, DATA_DIR: second ?? '', MONGODB_URI: app.databaseUri });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  for (const directory of [first, second]) rmSync(directory ?? '', { recursive: true });
});

const clientOf = ({ url }: TestApp) =>
  new OpenAI({ apiKey: app.workspaceKey, baseURL: `${url}/v1`, maxRetries: 0 });

/** How many files below a folder hold a text, in whatever part of them. */
function holding(directory: string, text: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  return files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text)).length;
}
const cacheOf = (directory = '') => join(directory, 'cache', 'vector');

async function add(store: string, name: string, content: string): Promise<string> {
  const file = await toFile(Buffer.from(content), name);
  const added = await clientOf(app).vectorStores.files.uploadAndPoll(store, file, { pollIntervalMs: 50 });
  expect(added.status).toBe('completed');
  return added.id;
}

describe('a file that is deleted', () => {
  it('leaves nothing of its text in the indexes of any process, though nobody searches again', async () => {
    const { id: store } = await clientOf(app).vectorStores.create({ name: 'Flowers' });
    const kept = Array.from({ length: 20 }, (_, at) => `Marigolds are yellow, line ${at}.`).join('\n');
    await add(store, 'kept.txt', kept);
    const gone = await add(store, 'gone.txt', 'Periwinkles grow behind the hedge.');
    for (const each of [app, other]) {
      const { data } = await clientOf(each).vectorStores.search(store, { query: 'Periwinkles' });
      expect(data[0]?.file_id).toBe(gone);
    }
    for (const directory of [first, second])
      expect(holding(cacheOf(directory), 'Periwinkles grow')).toBeGreaterThan(0);
    await clientOf(app).files.delete(gone);
    for (const directory of [first, second])
      await eventually(async () => {
        expect(holding(cacheOf(directory), 'Periwinkles grow')).toBe(0);
        // The stem of the word, in the index of words.
        expect(holding(cacheOf(directory), 'periwinkl')).toBe(0);
      }, 120_000);
    const { data } = await clientOf(other).vectorStores.search(store, { query: 'yellow marigolds' });
    expect(data.map(({ filename }) => filename)).toEqual(['kept.txt']);
  });

  it('is in no index of a process that did not run meanwhile', async () => {
    const third = mkdtempSync(join(tmpdir(), 'sluice-removed-three-'));
    const more = { ...env, DATA_DIR: third, MONGODB_URI: app.databaseUri };
    const { id: store } = await clientOf(app).vectorStores.create({ name: 'Trees' });
    const gone = await add(store, 'gone.txt', 'Hornbeams line the avenue.');
    const before = await startApp(more);
    await clientOf(before).vectorStores.search(store, { query: 'Hornbeams' });
    await before.stop();
    expect(holding(cacheOf(third), 'Hornbeams line')).toBeGreaterThan(0);
    await clientOf(app).files.delete(gone);
    const after = await startApp(more);
    try {
      await eventually(async () => expect(holding(cacheOf(third), 'Hornbeams line')).toBe(0));
    } finally {
      await after.stop();
      rmSync(third, { recursive: true });
    }
  });
});

it('indexes of processes that are gone are deleted, and those of living ones stay', () => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-places-'));
  const [mine, living] = [new IndexDirectory(root, 1e9), new IndexDirectory(root, 1e9)];
  try {
    mkdirSync(join(root, '7'));
    for (const place of ['0', '1', '7']) writeFileSync(join(root, place, 'vs_left.sqlite'), 'texts');
    mine.tidy();
    expect(['0', '1', '7'].map((place) => readdirSync(join(root, place)).includes('vs_left.sqlite'))).toEqual(
      [true, true, false],
    );
  } finally {
    mine.close();
    living.close();
    rmSync(root, { recursive: true });
  }
});
