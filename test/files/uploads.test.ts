import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';

let app: TestApp;
let neighbour: Tenant;
let client: OpenAI;
let hours = 0;
beforeAll(async () => {
  app = await startApp({}, undefined, () => new Date(Date.now() + hours * 3_600_000));
  neighbour = await app.createTenant();
  client = clientOf(app.workspaceKey);
});
afterAll(() => app.stop());

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
const create = (bytes: number, more: object = {}) =>
  client.uploads.create({
    ...{ filename: 'parts.bin', purpose: 'assistants', mime_type: 'application/octet-stream', bytes },
    ...more,
  } as OpenAI.UploadCreateParams);
const addPart = async (id: string, data: Buffer) =>
  client.uploads.parts.create(id, { data: await toFile(data, 'part') });
const md5Of = (data: Buffer) => createHash('md5').update(data).digest('hex');
const contents = () => app.db.collection('file_contents').countDocuments();

it('parts that come in any order become a file in the order of their ids', async () => {
  const pieces = [randomBytes(70_000), randomBytes(200_000), randomBytes(1)];
  const all = Buffer.concat(pieces);
  const upload = await create(all.length);
  expect(upload).toEqual({
    id: expect.stringMatching(/^upload_/),
    object: 'upload',
    bytes: all.length,
    created_at: expect.any(Number),
    filename: 'parts.bin',
    purpose: 'assistants',
    status: 'pending',
    expires_at: upload.created_at + 3600,
    file: null,
  });
  const parts = (
    await Promise.all(pieces.toReversed().map((piece) => addPart(upload.id, piece)))
  ).toReversed();
  expect(parts[0]).toMatchObject({ object: 'upload.part', upload_id: upload.id });
  const ids = parts.map(({ id }) => id);
  const wrong = client.uploads.complete(upload.id, { part_ids: ids, md5: md5Of(Buffer.from('x')) });
  await expect(wrong).rejects.toMatchObject({ status: 400, param: 'md5', code: 'invalid_value' });
  const completed = await client.uploads.complete(upload.id, { part_ids: ids, md5: md5Of(all) });
  expect(completed).toMatchObject({
    status: 'completed',
    file: { bytes: all.length, filename: 'parts.bin' },
  });
  const fileId = completed.file?.id ?? '';
  const read = await client.files.content(fileId);
  expect(Buffer.from(await read.arrayBuffer()).equals(all)).toBe(true);
  // Of all contents that of the file is left.
  expect(await contents()).toBe(1);
  const again = client.uploads.complete(upload.id, { part_ids: ids });
  await expect(again).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('is completed'),
  });
  await client.files.delete(fileId);
  expect(await contents()).toBe(0);
});

it('what does not fit together is refused, and nothing is lost by it', async () => {
  const upload = await create(10);
  const [one, two] = [
    await addPart(upload.id, Buffer.from('01234')),
    await addPart(upload.id, Buffer.from('56789')),
  ];
  const refused = async (part_ids: string[], param: string, message: RegExp) =>
    expect(client.uploads.complete(upload.id, { part_ids })).rejects.toMatchObject({
      ...{ status: 400, param },
      message: expect.stringMatching(message),
    });
  await refused([one.id], 'part_ids', /has parts of 5 bytes in all; the upload was announced with 10/);
  await refused([one.id, one.id], 'part_ids', /names a part twice/);
  await refused([one.id, 'part_none'], 'part_ids[1]', /names no part of the upload/);
  await refused([], 'part_ids', /at least 1/);
  const { file } = await client.uploads.complete(upload.id, { part_ids: [one.id, two.id] });
  expect(await (await client.files.content(file?.id ?? '')).text()).toBe('0123456789');
  await client.files.delete(file?.id ?? '');
});

it.each([
  [{ bytes: 0 }, 'bytes', 'integer_below_min_value'],
  [{ bytes: 8 * 1024 ** 3 + 1 }, 'bytes', 'integer_above_max_value'],
  [{ purpose: 'x' }, 'purpose', 'invalid_value'],
  [{ filename: undefined }, 'filename', 'missing_required_parameter'],
  [{ mime_type: undefined }, 'mime_type', 'missing_required_parameter'],
  [{ colour: 'red' }, 'colour', 'unknown_parameter'],
])('an upload with %j is refused', async (more, param, code) => {
  await expect(create(1, more)).rejects.toMatchObject({ status: 400, param, code });
});

it('a cancelled upload takes nothing more and leaves nothing', async () => {
  const upload = await create(5);
  await addPart(upload.id, Buffer.from('01234'));
  expect(await contents()).toBe(1);
  expect(await client.uploads.cancel(upload.id)).toMatchObject({ id: upload.id, status: 'cancelled' });
  expect(await contents()).toBe(0);
  await expect(addPart(upload.id, Buffer.from('x'))).rejects.toMatchObject({ status: 400 });
  await expect(client.uploads.cancel(upload.id)).rejects.toMatchObject({ status: 400 });
  expect(await contents()).toBe(0);
});

it('an upload whose hour is over takes nothing more', async () => {
  const upload = await create(5);
  hours = 1;
  try {
    await expect(addPart(upload.id, Buffer.from('01234'))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('is expired'),
    });
  } finally {
    hours = 0;
  }
  expect(await contents()).toBe(0);
});

it('another tenant and nobody find no upload', async () => {
  const upload = await create(5);
  const theirs = clientOf(neighbour.workspaceKey);
  const gone = { status: 404, message: expect.stringContaining(`No upload found with id '${upload.id}'.`) };
  await expect(theirs.uploads.cancel(upload.id)).rejects.toMatchObject(gone);
  await expect(theirs.uploads.complete(upload.id, { part_ids: ['p'] })).rejects.toMatchObject(gone);
  const part = theirs.uploads.parts.create(upload.id, { data: await toFile(Buffer.from('x'), 'p') });
  await expect(part).rejects.toMatchObject(gone);
  for (const path of ['', `/${upload.id}/cancel`, `/${upload.id}/complete`, `/${upload.id}/parts`])
    expect((await app.rest('POST', `/v1/uploads${path}`, { key: null, body: {} })).status).toBe(401);
  expect((await client.uploads.cancel(upload.id)).status).toBe('cancelled');
});
