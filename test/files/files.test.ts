import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { rawRequest } from '../bodies/raw-request.ts';
import { auditRows, makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const MAX = 1024 * 1024;

let directory: string;
let app: TestApp;
let neighbour: Tenant;
let client: OpenAI;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-files-'));
  app = await startApp({
    DATA_DIR: directory,
    FILE_MAX_BYTES: String(MAX),
    FILE_WORKSPACE_BYTES: String(4 * MAX),
  });
  neighbour = await app.createTenant();
  client = clientOf(app.workspaceKey);
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

// A test that fails must not make the next ones fail as well.
afterEach(async () => {
  for await (const { id } of client.files.list()) await client.files.delete(id);
});

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });

/** What lies on the disk, and what the database says lies there. */
const stored = async () => ({
  onDisk: (await readdir(join(directory, 'files')).catch(() => [])).length,
  contents: await app.db.collection('file_contents').countDocuments(),
});

const upload = (content: Buffer | string = randomBytes(100), name = 'notes.txt', more: object = {}) =>
  toFile(Buffer.from(content), name).then((file) =>
    client.files.create({ file, purpose: 'assistants', ...more }),
  );

const part = (name: string, value: string, filename?: string) =>
  `--edge\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n${value}\r\n`;

async function post(path: string, body: string, key: string | null = app.workspaceKey, type?: string) {
  const response = await fetch(`${app.url}/v1${path}`, {
    method: 'POST',
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      'content-type': type ?? 'multipart/form-data; boundary=edge',
    },
    body,
  });
  return { status: response.status, body: (await response.json()) as any };
}

const form = (...parts: string[]) => `${parts.join('')}--edge--\r\n`;
const whole = form(part('file', 'a', 'a.txt'), part('purpose', 'assistants'));

describe('a file', () => {
  it('is brought, found, listed, read and deleted by the SDK', async () => {
    const content = randomBytes(300_000);
    const made = await upload(content, 'Grüße – 1.txt');
    expect(made).toEqual({
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      object: 'file',
      bytes: 300_000,
      created_at: expect.any(Number),
      expires_at: null,
      filename: 'Grüße – 1.txt',
      purpose: 'assistants',
      status: 'processed',
      status_details: null,
    });
    expect(await client.files.waitForProcessing(made.id)).toEqual(made);
    const listed = [];
    for await (const file of client.files.list({ limit: 1 })) listed.push(file.id);
    expect(listed).toContain(made.id);
    const read = await client.files.content(made.id);
    expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true);
    expect(read.headers.get('x-content-type-options')).toBe('nosniff');
    expect(read.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''Gr%C3%BC/);
    expect(await client.files.delete(made.id)).toEqual({ id: made.id, object: 'file', deleted: true });
    for (const gone of [
      client.files.retrieve(made.id),
      client.files.content(made.id),
      client.files.delete(made.id),
    ])
      await expect(gone).rejects.toMatchObject({ status: 404, type: 'invalid_request_error', code: null });
    expect(await stored()).toEqual({ onDisk: 0, contents: 0 });
  });

  it('has an end where it is given one', async () => {
    const file = await upload('x', 'x.txt', { expires_after: { anchor: 'created_at', seconds: 3600 } });
    expect((file.expires_at ?? 0) - file.created_at).toBe(3600);
    await client.files.delete(file.id);
  });

  it('is read in parts', async () => {
    const { id } = await upload('0123456789');
    const read = async (range: string) => {
      const headers = { authorization: `Bearer ${app.workspaceKey}`, range };
      const answer = await fetch(`${app.url}/v1/files/${id}/content`, { headers });
      return [answer.status, answer.headers.get('content-range'), await answer.text()];
    };
    expect(await read('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await read('bytes=8-')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await read('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await read('bytes=0-99')).toEqual([206, 'bytes 0-9/10', '0123456789']);
    expect(await read('bytes=4-2')).toEqual([200, null, '0123456789']);
    expect(await read('bytes=0-1,3-4')).toEqual([200, null, '0123456789']);
    expect((await read('bytes=10-')).slice(0, 2)).toEqual([416, 'bytes */10']);
    await client.files.delete(id);
  });

  it('shares its content with an equal one until both are gone', async () => {
    const [one, two] = [await upload('the same'), await upload('the same', 'other.txt')];
    expect(await stored()).toEqual({ onDisk: 1, contents: 1 });
    await client.files.delete(one.id);
    expect(await (await client.files.content(two.id)).text()).toBe('the same');
    await client.files.delete(two.id);
    expect(await stored()).toEqual({ onDisk: 0, contents: 0 });
  });

  it('is in the graph and in the audit trail', async () => {
    const { id } = await upload('graph');
    const query = `query ($id: ID!) { file(id: $id) { id filename bytes sha256 }
      files(purpose: "assistants") { data { id } hasMore } }`;
    const { data } = await app.graphql(query, { id }, app.workspaceKey);
    const sha256 = createHash('sha256').update('graph').digest('hex');
    expect(data.file).toEqual({ id, filename: 'notes.txt', bytes: 5, sha256 });
    expect(data.files).toEqual({ data: [{ id }], hasMore: false });
    const remove = 'mutation ($id: ID!) { deleteFile(id: $id) }';
    expect((await app.graphql(remove, { id }, app.workspaceKey)).data.deleteFile).toBe(id);
    const entries = await auditRows(app, { targetId: id });
    expect(entries.map(({ resourceType, action, outcome }) => [resourceType, action, outcome])).toEqual([
      ['file', 'create', 'success'],
      ['file', 'delete', 'success'],
    ]);
  });

  it('is the gateway’s where the request names it, and a provider’s where it names that', async () => {
    const send = (provider: string) =>
      fetch(`${app.url}/v1/files`, {
        headers: { authorization: `Bearer ${app.workspaceKey}`, 'x-gateway-provider': provider },
      });
    expect((await send('gateway')).status).toBe(200);
    const theirs = await send('@mock');
    const { message } = (await theirs.json()) as { message: string };
    expect([theirs.status, message]).toEqual([
      400,
      expect.stringContaining('The provider mock has no /files.'),
    ]);
  });
});

describe('a list of files', () => {
  it('is walked by pages, by purpose and in both orders', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.push((await upload(`${at}`)).id);
    const user = await upload('u', 'u.txt', { purpose: 'user_data' });
    const page = await client.files.list({ limit: 2, order: 'asc', purpose: 'assistants' });
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const walked: string[] = [];
    for await (const { id } of page) walked.push(id);
    expect(walked).toEqual(ids);
    // Whoever deletes what they walk along still gets on.
    await client.files.delete(ids[1] ?? '');
    const rest = await client.files.list({ after: ids[1], order: 'asc', purpose: 'assistants' });
    expect(rest.data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await client.files.list({ purpose: 'user_data' })).data.map(({ id }) => id)).toEqual([user.id]);
    for await (const { id } of client.files.list()) await client.files.delete(id);
  });

  it.each([
    ['limit=0', 'limit', 'integer_below_min_value'],
    ['limit=10001', 'limit', 'integer_above_max_value'],
    ['limit=x', 'limit', 'invalid_type'],
    ['order=up', 'order', 'invalid_value'],
    ['after=file-none', 'after', null],
    ['colour=red', 'colour', 'unknown_parameter'],
  ])('is refused with %s', async (query, param, code) => {
    const { status, body } = await app.rest('GET', `/v1/files?${query}`);
    expect([status, body]).toMatchObject([400, { error: { type: 'invalid_request_error', param, code } }]);
  });
});

describe('a form that is refused', () => {
  it.each<[string, string, number, string | null, string | null]>([
    ['without a purpose', form(part('file', 'a', 'a')), 400, 'purpose', 'missing_required_parameter'],
    [
      'with an unknown purpose',
      form(part('file', 'a', 'a'), part('purpose', 'x')),
      400,
      'purpose',
      'invalid_value',
    ],
    ['without a file', form(part('purpose', 'assistants')), 400, 'file', 'missing_required_parameter'],
    ['with a text for a file', form(part('file', 'a')), 400, 'file', 'invalid_value'],
    ['with two files', form(part('file', 'a', 'a'), part('file', 'b', 'b')), 400, 'file', 'invalid_value'],
    [
      'with another file',
      form(part('purpose', 'assistants'), part('image', 'a', 'a')),
      400,
      'image',
      'unknown_parameter',
    ],
    [
      'with another field',
      form(part('file', 'a', 'a'), part('purpose', 'batch'), part('colour', 'red')),
      400,
      'colour',
      'unknown_parameter',
    ],
    [
      'with half an end',
      form(part('file', 'a', 'a'), part('purpose', 'batch'), part('expires_after[seconds]', '3600')),
      400,
      'expires_after.anchor',
      'missing_required_parameter',
    ],
    [
      'with an end that is too near',
      form(
        part('file', 'a', 'a'),
        part('purpose', 'batch'),
        part('expires_after[anchor]', 'created_at'),
        part('expires_after[seconds]', '3599'),
      ),
      400,
      'expires_after.seconds',
      'integer_below_min_value',
    ],
    ['that breaks off', whole.slice(0, -20), 400, null, 'malformed_body'],
    ['that breaks off within the file', part('file', 'a', 'a').slice(0, -2), 400, null, 'malformed_body'],
    [
      'with a file that is too large',
      form(part('file', 'x'.repeat(MAX + 1), 'a')),
      413,
      'file',
      'body_too_large',
    ],
  ])('%s leaves nothing', async (_what, body, status, param, code) => {
    const answer = await post('/files', body);
    expect(answer).toMatchObject({ status, body: { error: { param, code } } });
    expect(await stored()).toEqual({ onDisk: 0, contents: 0 });
    expect(await app.db.collection('files').countDocuments()).toBe(0);
  });

  it('is one that is no form', async () => {
    for (const type of ['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'])
      expect((await post('/files', '{}', app.workspaceKey, type)).status).toBe(415);
  });

  it('is one for which the workspace has no room', async () => {
    const made = [];
    for (let at = 0; at < 4; at++) made.push(await upload(randomBytes(MAX)));
    await expect(upload('more')).rejects.toMatchObject({
      status: 400,
      param: 'file',
      code: 'storage_limit_exceeded',
    });
    for (const { id } of made) await client.files.delete(id);
    const again = await upload('more');
    await client.files.delete(again.id);
  });
});

it('an upload that its caller gives up leaves nothing', async () => {
  const request = rawRequest(app.url, 'POST /v1/files', {
    authorization: `Bearer ${app.workspaceKey}`,
    'content-type': 'multipart/form-data; boundary=edge',
    'content-length': '500000',
  });
  request.write(part('file', 'x'.repeat(200_000), 'a').slice(0, -2));
  await eventually(async () => expect((await stored()).contents).toBe(1));
  request.drop();
  await eventually(async () => expect(await stored()).toEqual({ onDisk: 0, contents: 0 }));
  expect(await app.db.collection('files').countDocuments()).toBe(0);
});

describe('who may', () => {
  it('nobody without a credential, and nothing is stored', async () => {
    expect((await post('/files', whole, null)).status).toBe(401);
    expect((await app.rest('GET', '/v1/files', { key: null })).status).toBe(401);
    expect(await app.db.collection('files').countDocuments()).toBe(0);
  });

  it('a key that reads reads, and stores and deletes nothing', async () => {
    const { id } = await upload('read me');
    const reader = await makeKey(app, 'workspace-service', { only: ['completions.read'] });
    expect((await post('/files', whole, reader)).status).toBe(403);
    expect((await app.rest('DELETE', `/v1/files/${id}`, { key: reader })).status).toBe(403);
    expect(await app.db.collection('files').countDocuments()).toBe(1);
    expect(await (await clientOf(reader).files.content(id)).text()).toBe('read me');
    const nothing = await makeKey(app, 'workspace-service', { only: ['configs.list'] });
    expect((await app.rest('GET', `/v1/files/${id}/content`, { key: nothing })).status).toBe(403);
    expect((await app.rest('GET', '/v1/files', { key: nothing })).status).toBe(403);
    await client.files.delete(id);
  });

  it('another tenant sees nothing, whatever it guesses', async () => {
    const { id } = await upload('ours');
    const theirs = clientOf(neighbour.workspaceKey);
    const gone = { status: 404, message: expect.stringContaining(`No file found with id '${id}'.`) };
    await expect(theirs.files.retrieve(id)).rejects.toMatchObject(gone);
    await expect(theirs.files.content(id)).rejects.toMatchObject(gone);
    await expect(theirs.files.delete(id)).rejects.toMatchObject(gone);
    expect((await theirs.files.list()).data).toEqual([]);
    // Equal contents of two tenants are two contents: that one has a content tells the other nothing.
    const file = await toFile(Buffer.from('ours'), 'guess.txt');
    const guess = await theirs.files.create({ file, purpose: 'assistants' });
    expect(await stored()).toEqual({ onDisk: 2, contents: 2 });
    await theirs.files.delete(guess.id);
    expect(await (await client.files.content(id)).text()).toBe('ours');
    await client.files.delete(id);
  });

  it('an id of another kind is refused by name', async () => {
    const answer = await app.rest('GET', '/v1/files/undefined');
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { param: 'file_id', code: 'invalid_value' } },
    });
  });
});
