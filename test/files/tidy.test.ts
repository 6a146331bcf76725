import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createFiles, type FileDocument, type FilesDeps } from '../../src/files/index.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { type Contents, createContents } from '../../src/storage/contents/index.ts';
import { createLeases } from '../../src/storage/leases.ts';
import { startApp, type TestApp } from '../support/app.ts';

const HOUR = 3_600_000;

let app: TestApp;
let directory: string;
let disk: Contents;
let hours = 0;
beforeAll(async () => {
  app = await startApp();
  directory = await mkdtemp(join(tmpdir(), 'sluice-tidy-'));
  disk = createContents({
    bucket: null,
    database: null,
    dataDirectory: directory,
    folder: 'files',
    prefix: '',
  });
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => {
  hours = 0;
});

const owner = { organisationId: 'o', workspaceId: 'w' };
const given = { owner, filename: 'a', purpose: 'assistants', expiresAt: null, createdBy: 'me' } as const;
const never = new AbortController().signal;

/** The files of a process whose contents go where the test says. */
function filesOn(store: Contents, more: Partial<FilesDeps> = {}) {
  const log = createLogger('silent');
  return createFiles({
    files: () => app.db.collection('files') as never,
    contents: () => app.db.collection('file_contents') as never,
    uploads: () => app.db.collection('uploads') as never,
    parts: () => app.db.collection('upload_parts') as never,
    store,
    limits: { fileBytes: 1e9, workspaceBytes: 1e9 },
    scanUrl: null,
    db: app.db,
    leases: createLeases(log),
    now: () => new Date(Date.now() + hours * HOUR),
    log,
    ...more,
  });
}

async function* bytes(text: string) {
  yield Buffer.from(text);
}
const onDisk = async () => (await readdir(join(directory, 'files')).catch(() => [])).length;
const documents = async () => ({
  files: await app.db.collection('files').countDocuments(),
  contents: await app.db.collection('file_contents').countDocuments(),
});
const nothing = { files: 0, contents: 0 };

it('a file goes when its time is over, those who use it are told first, and nobody finds it before that', async () => {
  const files = filesOn(disk);
  const told: string[] = [];
  files.onRemoved(async ({ _id }) => void told.push(_id));
  const expiresAt = new Date(Date.now() + HOUR);
  const file = await files.store({ ...given, expiresAt }, bytes('short-lived'), never);
  await files.tidy();
  expect(await files.find(owner, file._id)).toMatchObject({ _id: file._id, bytes: 11 });
  hours = 2;
  expect(await files.find(owner, file._id)).toBeNull();
  expect(told).toEqual([]);
  await files.tidy();
  expect([told, await documents(), await onDisk()]).toEqual([[file._id], nothing, 0]);
});

it('a file stays where one of those who use it cannot let it go', async () => {
  const files = filesOn(disk);
  let fails = true;
  files.onRemoved(async () => {
    if (fails) throw new Error('Not now.');
  });
  const { _id } = await files.store(given, bytes('held'), never);
  await expect(files.remove(owner, _id)).rejects.toThrow('Not now.');
  expect(await files.find(owner, _id)).not.toBeNull();
  fails = false;
  expect(await files.remove(owner, _id)).toBe(true);
  expect([await documents(), await onDisk()]).toEqual([nothing, 0]);
});

describe('where a process dies', () => {
  const die = async () => {
    throw new Error('The process died.');
  };
  const repaired = async () => {
    const files = filesOn(disk);
    await files.tidy();
    const before = await documents();
    hours = 4;
    await files.tidy();
    await files.tidy();
    return { before, after: await documents(), onDisk: await onDisk() };
  };

  it('within a content, what it left goes once nobody can be writing it any more', async () => {
    // Both the write and the removal that follows it fail, as in a process that is gone.
    const files = filesOn({ ...disk, write: die, remove: die });
    await expect(files.store(given, bytes('half'), never)).rejects.toThrow('died');
    expect(await repaired()).toMatchObject({ before: { contents: 1 }, after: nothing, onDisk: 0 });
  });

  it('between the content and its file, the content goes', async () => {
    const files = filesOn(disk, { files: () => ({ insertOne: die }) as never });
    await expect(files.store(given, bytes('no file'), never)).rejects.toThrow('died');
    const { after } = await repaired();
    expect(after).toEqual(nothing);
  });

  it('within a removal, the content goes with the next look', async () => {
    const healthy = filesOn(disk);
    const file = await healthy.store(given, bytes('going'), never);
    const dying = filesOn({ ...disk, remove: die });
    await expect(dying.remove(owner, file._id)).rejects.toThrow('died');
    expect(await repaired()).toMatchObject({ before: { files: 0, contents: 1 }, after: nothing, onDisk: 0 });
  });

  it('with its workspace, contents whose files are gone go after them', async () => {
    const files = filesOn(disk);
    const { _id } = await files.store(given, bytes('of a workspace'), never);
    await app.db.collection<FileDocument>('files').deleteOne({ _id });
    expect(await repaired()).toMatchObject({ before: { contents: 1 }, after: nothing, onDisk: 0 });
  });

  it('what is used stays', async () => {
    const files = filesOn(disk);
    const { _id } = await files.store(given, bytes('used'), never);
    expect(await repaired()).toEqual({
      before: { files: 1, contents: 1 },
      after: { files: 1, contents: 1 },
      onDisk: 1,
    });
    await files.remove(owner, _id);
  });
});

it('a full disk is STORE_FULL, and what was stored before is still there', async () => {
  const files = filesOn(disk);
  const kept = await files.store(given, bytes('kept'), never);
  const full = filesOn({
    ...disk,
    async write(name, content, signal) {
      await disk.write(name, content, signal);
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    },
  });
  await expect(full.store(given, bytes('more'), never)).rejects.toMatchObject({
    code: 'STORE_FULL',
    entry: { status: 507 },
  });
  expect([await documents(), await onDisk()]).toEqual([{ files: 1, contents: 1 }, 1]);
  const content = await files.open(kept);
  const read: Uint8Array[] = [];
  for await (const chunk of content?.read() ?? []) read.push(chunk);
  expect(Buffer.concat(read).toString()).toBe('kept');
  await files.remove(owner, kept._id);
});
