import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { listen } from '../../src/http/server.ts';
import { auditRows } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let directory: string;
let app: TestApp;
let client: OpenAI;
let scanner: Server;
/** SHA-256 of what was scanned. */
let scanned: string[];
let answer: (response: ServerResponse) => void;
const says =
  (body: object | string, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-scan-'));
  scanner = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    scanned.push(sha256(Buffer.concat(chunks)));
    answer(response);
  });
  const port = await listen(scanner, '127.0.0.1', 0);
  app = await startApp({ DATA_DIR: directory, FILE_SCAN_URL: `http://127.0.0.1:${port}/scan?token=t` });
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await app.stop();
  scanner.closeAllConnections();
  scanner.close();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => {
  scanned = [];
  answer = says({ verdict: 'clean' });
});

const upload = async (content: Buffer, signal?: AbortSignal) =>
  client.files.create({ file: await toFile(content, 'a.txt'), purpose: 'assistants' }, { signal });

async function nothingIsLeft(): Promise<void> {
  expect((await client.files.list()).data).toEqual([]);
  await eventually(async () => {
    expect(await readdir(join(directory, 'files')).catch(() => [])).toEqual([]);
    expect(await app.db.collection('file_contents').countDocuments()).toBe(0);
  });
}

describe('a scanner of files', () => {
  it('is asked about the whole content, which is there once it says that it is clean', async () => {
    const content = randomBytes(300_000);
    const { id } = await upload(content);
    expect(scanned).toEqual([sha256(content)]);
    const read = Buffer.from(await (await client.files.content(id)).arrayBuffer());
    expect(read.equals(content)).toBe(true);
    await client.files.delete(id);
  });

  it('refuses a file with its reason, and nothing of it is left', async () => {
    answer = says({ verdict: 'infected', reason: 'Eicar-Test-Signature' });
    await expect(upload(randomBytes(5000))).rejects.toMatchObject({
      ...{ status: 400, param: 'file', code: 'file_refused' },
      message: expect.stringContaining('Eicar-Test-Signature'),
    });
    await nothingIsLeft();
    const [row, ...others] = await auditRows(app, { resourceType: 'file', outcome: 'failed' });
    expect(row).toMatchObject({ action: 'create' });
    expect(others).toEqual([]);
  });

  it.each([
    ['fails', says('down', 500)],
    ['answers with no JSON', says('clean')],
    ['says something else', says({ verdict: 'maybe' })],
    ['says far too much', (response: ServerResponse) => void response.end('x'.repeat(100_000))],
    ['breaks off', (response: ServerResponse) => void response.destroy()],
  ])('that %s has the file refused for now', async (_how, broken) => {
    answer = broken;
    await expect(upload(randomBytes(5000))).rejects.toMatchObject({
      ...{ status: 503, code: 'file_scan_unavailable' },
    });
    await nothingIsLeft();
  });

  it('is left alone when the caller goes, who leaves nothing', async () => {
    const reached = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    answer = (response) => {
      response.once('close', gone.resolve);
      reached.resolve();
    };
    const leaving = new AbortController();
    const uploading = upload(randomBytes(5000), leaving.signal);
    await reached.promise;
    leaving.abort();
    await expect(uploading).rejects.toThrow();
    await gone.promise;
    await nothingIsLeft();
  });

  it('sees an upload in parts as the file that becomes of it', async () => {
    const pieces = [randomBytes(3000), randomBytes(4000)];
    const whole = Buffer.concat(pieces);
    const { id } = await client.uploads.create({
      ...{ filename: 'b.bin', purpose: 'assistants', mime_type: 'application/octet-stream' },
      bytes: whole.length,
    });
    const part_ids: string[] = [];
    for (const piece of pieces)
      part_ids.push((await client.uploads.parts.create(id, { data: await toFile(piece, 'part') })).id);
    expect(scanned).toEqual([]);
    answer = says({ verdict: 'infected' });
    await expect(client.uploads.complete(id, { part_ids })).rejects.toMatchObject({ code: 'file_refused' });
    expect(scanned).toEqual([sha256(whole)]);
    answer = says({ verdict: 'clean' });
    const { file } = await client.uploads.complete(id, { part_ids });
    expect(file?.bytes).toBe(7000);
    await client.files.delete(file?.id ?? '');
    await nothingIsLeft();
  });
});
