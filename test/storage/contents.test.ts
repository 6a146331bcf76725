import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Contents, createContents } from '../../src/storage/contents/index.ts';

const MEGABYTE = 1024 * 1024;

/** A bucket that takes single and multipart uploads, and answers the status that a test wants next. */
let server: Server;
let files: Contents;
let objects: Map<string, Buffer>;
let uploads: Map<string, Map<number, Buffer>>;
let failures: ((request: IncomingMessage) => boolean)[];
let asked: string[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://bucket');
    const received: Buffer[] = [];
    for await (const chunk of request) received.push(chunk as Buffer);
    const body = Buffer.concat(received);
    asked.push(`${request.method} ${url.search.replace(/X-Amz[^&]*/g, '')}`);
    const isSigned =
      request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=access/') ||
      url.searchParams.has('X-Amz-Signature');
    const answer = (status: number, text = '', headers = {}) => response.writeHead(status, headers).end(text);
    if (!isSigned) return answer(403, '<Error><Code>AccessDenied</Code></Error>');
    if (failures[0]?.(request)) {
      failures.shift();
      return answer(503, '<Error><Code>SlowDown</Code></Error>');
    }
    const [path, upload] = [url.pathname, url.searchParams.get('uploadId')];
    if (request.method === 'POST' && url.searchParams.has('uploads')) {
      uploads.set('u/1+', new Map());
      return answer(
        200,
        '<InitiateMultipartUploadResult><UploadId>u/1+</UploadId></InitiateMultipartUploadResult>',
      );
    }
    if (request.method === 'PUT' && upload) {
      const number = Number(url.searchParams.get('partNumber'));
      uploads.get(upload)?.set(number, body);
      return answer(200, '', { etag: `"etag-${number}"` });
    }
    if (request.method === 'POST' && upload) {
      const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"etag-\1"/g)];
      const parts = numbers.map(([, number]) => uploads.get(upload)?.get(Number(number)) ?? Buffer.alloc(0));
      objects.set(path, Buffer.concat(parts));
      uploads.delete(upload);
      return answer(200, '<CompleteMultipartUploadResult/>');
    }
    if (request.method === 'DELETE') {
      if (upload) uploads.delete(upload);
      else objects.delete(path);
      return answer(204);
    }
    if (request.method === 'PUT') {
      objects.set(path, body);
      return answer(200);
    }
    const found = objects.get(path);
    return found ? response.end(found) : answer(404);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credential = { region: 'eu-west-1', accessKeyId: 'access', secretAccessKey: 'secret' };
  files = createContents({
    bucket: { endpoint, bucket: 'exports', ...credential },
    database: null,
    ...{ dataDirectory: '/nowhere', folder: 'x', prefix: '' },
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [objects, uploads, failures, asked] = [new Map(), new Map(), [], []];
});

async function* chunks(count: number, bytes: number, after?: () => void) {
  for (let index = 0; index < count; index++) yield Buffer.alloc(bytes, String(index));
  after?.();
}
const fail = () => {
  throw new Error('broken');
};
let stopping = new AbortController();
const never = new AbortController().signal;

describe('contents in S3-compatible storage', () => {
  it('are put at once when they are small, and read under a link that needs no credential', async () => {
    await files.write('a.jsonl', chunks(3, 10), never);
    const link = await files.link('a.jsonl', 60);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/exports\/a\.jsonl\?X-Amz-Expires=60&/);
    expect(link).not.toContain('secret');
    expect(await (await fetch(link ?? '')).text()).toBe('0'.repeat(10) + '1'.repeat(10) + '2'.repeat(10));
    await files.remove('a.jsonl');
    expect(objects.size).toBe(0);
    await files.write('empty.jsonl', chunks(0, 0), never);
    expect(objects.get('/exports/empty.jsonl')).toHaveLength(0);
  });

  it('go up in parts when they are large, each part again when the storage is busy', async () => {
    failures = [(request) => request.url?.includes('partNumber=2') ?? false];
    await files.write('large.jsonl', chunks(7, 3 * MEGABYTE), never);
    const stored = objects.get('/exports/large.jsonl');
    expect(stored).toHaveLength(21 * MEGABYTE);
    expect([0, 3, 20].map((at) => String.fromCharCode(stored?.[at * MEGABYTE] ?? 0))).toEqual([
      '0',
      '1',
      '6',
    ]);
    expect(asked.filter((line) => line.includes('partNumber'))).toHaveLength(4);
    expect(uploads.size).toBe(0);
  });

  it.each([
    ['the content breaks off', () => chunks(9, MEGABYTE, fail), () => never],
    ['it is aborted', () => chunks(9, MEGABYTE, () => stopping.abort()), () => stopping.signal],
  ])('leave nothing when %s', async (_what, content, signal) => {
    stopping = new AbortController();
    await expect(files.write('half.jsonl', content(), signal())).rejects.toThrow();
    expect([objects.size, uploads.size]).toEqual([0, 0]);
  });

  it('leave nothing when the storage refuses, and the error names its code and no credential', async () => {
    failures = Array.from({ length: 4 }, () => (request) => request.url?.includes('partNumber=1') ?? false);
    const writing = files.write('no.jsonl', chunks(9, MEGABYTE), never);
    await expect(writing).rejects.toThrow('The storage of contents answered PUT with 503 (SlowDown).');
    expect([objects.size, uploads.size]).toEqual([0, 0]);
  });
});
