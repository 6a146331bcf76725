import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { rawRequest } from '../bodies/raw-request.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

// A database of its own syncs each megabyte to a disk that others use as well.
jest.setTimeout(120_000);

const MEGABYTE = 1024 * 1024;

let app: TestApp;
let client: OpenAI;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-in-database-'));
  app = await startApp({
    ...{ DATA_DIR: directory, CONTENTS_IN_DATABASE: 'true' },
    ...{ FILE_MAX_BYTES: String(4 * MEGABYTE), FILE_WORKSPACE_BYTES: String(7 * MEGABYTE) },
  });
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

const upload = async (content: Buffer, name = 'a.bin') =>
  client.files.create({ file: await toFile(content, name), purpose: 'user_data' });
const stored = async () => ({
  files: await app.db.collection('gridfs_files.files').countDocuments(),
  chunks: await app.db.collection('gridfs_files.chunks').countDocuments(),
  known: await app.db.collection('file_contents').countDocuments(),
});
const nothing = { files: 0, chunks: 0, known: 0 };

describe('a file whose content lies in the database', () => {
  it('is read whole and in parts, shared with an equal one, and leaves nothing', async () => {
    const content = randomBytes(3 * MEGABYTE + 5);
    const [{ id }, { id: equal }] = [await upload(content), await upload(content)];
    expect(await stored()).toEqual({ files: 1, chunks: 4, known: 1 });
    expect(existsSync(join(directory, 'files'))).toBe(false);
    const read = Buffer.from(await (await client.files.content(id)).arrayBuffer());
    const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(hashOf(read)).toBe(hashOf(content));
    const part = await fetch(`${app.url}/v1/files/${id}/content`, {
      headers: { authorization: `Bearer ${app.workspaceKey}`, range: 'bytes=1048570-1048580' },
    });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(1_048_570, 1_048_581))).toBe(true);
    await client.files.delete(id);
    expect(await stored()).toEqual({ files: 1, chunks: 4, known: 1 });
    await client.files.delete(equal);
    expect(await stored()).toEqual(nothing);
  });

  it('has the bounds of files and workspaces, and what is refused leaves nothing', async () => {
    await expect(upload(randomBytes(4 * MEGABYTE + 1))).rejects.toMatchObject({ status: 413 });
    expect(await stored()).toEqual(nothing);
    const { id } = await upload(randomBytes(4 * MEGABYTE));
    await expect(upload(randomBytes(4 * MEGABYTE))).rejects.toMatchObject({ code: 'storage_limit_exceeded' });
    expect(await stored()).toEqual({ files: 1, chunks: 4, known: 1 });
    await client.files.delete(id);
  });

  it('that its caller gives up leaves nothing', async () => {
    const request = rawRequest(app.url, 'POST /v1/files', {
      authorization: `Bearer ${app.workspaceKey}`,
      'content-type': 'multipart/form-data; boundary=edge',
      'content-length': '5000000',
    });
    request.write('--edge\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n');
    request.write('x'.repeat(3_000_000));
    await eventually(async () => expect((await stored()).chunks).toBeGreaterThan(0));
    request.drop();
    await eventually(async () => expect(await stored()).toEqual(nothing));
  });

  it('is searched like any other', async () => {
    const { id: store } = await client.vectorStores.create({});
    const file = await toFile(Buffer.from('Herons fish at dawn.'), 'herons.txt');
    await client.vectorStores.files.uploadAndPoll(store, file, { pollIntervalMs: 50 });
    const { data } = await client.vectorStores.search(store, { query: 'herons' });
    expect(data[0]?.filename).toBe('herons.txt');
  });
});
