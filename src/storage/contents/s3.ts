import { AwsClient } from 'aws4fetch';
import type { S3Bucket } from '../../settings/exports.ts';
import type { ByteRange, Contents } from './contents.ts';

/** Bytes that are sent at a time; S3 takes no smaller part but the last one. */
const PART_BYTES = 8 * 1024 * 1024;
const RETRIES = 3;
/** Milliseconds that a request may take, its retries included. */
const TIMEOUT = 180_000;

/** Objects in a bucket. An upload of several parts becomes an object only when it is completed. */
export function contentsInS3(settings: S3Bucket, prefix: string): Contents {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: RETRIES });
  const urlOf = (name: string, query = '') =>
    `${endpoint}/${bucket}/${prefix}${encodeURIComponent(name)}${query}`;

  async function ask(
    method: string,
    url: string,
    init: { body?: Uint8Array | string; signal?: AbortSignal } = {},
  ) {
    const limit = AbortSignal.timeout(TIMEOUT);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const answer = await client.fetch(url, { method, body: init.body as RequestInit['body'], signal });
    const text = await answer.text();
    // A completion may fail after its status was sent.
    if (!answer.ok || /<Error>/.test(text)) {
      throw refusal(method, answer.status, /<Code>(\w+)<\/Code>/.exec(text)?.[1]);
    }
    return { text, etag: answer.headers.get('etag') ?? '' };
  }

  async function upload(name: string, parts: AsyncIterator<Buffer>, first: Buffer, signal: AbortSignal) {
    const { text } = await ask('POST', urlOf(name, '?uploads'), { signal });
    const id = encodeURIComponent(/<UploadId>([^<]+)<\/UploadId>/.exec(text)?.[1] ?? '');
    try {
      const done: string[] = [];
      for (let body: Buffer | null = first; body; body = await nextOf(parts)) {
        const number = done.length + 1;
        const { etag } = await ask('PUT', urlOf(name, `?partNumber=${number}&uploadId=${id}`), {
          body,
          signal,
        });
        done.push(`<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
      }
      const body = `<CompleteMultipartUpload>${done.join('')}</CompleteMultipartUpload>`;
      await ask('POST', urlOf(name, `?uploadId=${id}`), { body, signal });
    } catch (error) {
      // Without the signal: it may be the reason why the upload ended.
      await ask('DELETE', urlOf(name, `?uploadId=${id}`)).catch(() => undefined);
      throw error;
    }
  }

  return {
    async write(name, content, signal) {
      const parts = inParts(content, signal)[Symbol.asyncIterator]();
      try {
        const first = (await nextOf(parts)) ?? Buffer.alloc(0);
        if (first.length < PART_BYTES) await ask('PUT', urlOf(name), { body: first, signal });
        else await upload(name, parts, first, signal);
      } finally {
        await parts.return?.(undefined);
      }
    },
    async remove(name) {
      await ask('DELETE', urlOf(name));
    },
    async link(name, seconds) {
      const url = urlOf(name, `?X-Amz-Expires=${seconds}`);
      return (await client.sign(url, { method: 'GET', aws: { signQuery: true } })).url;
    },
    async open(name) {
      const found = await client.fetch(urlOf(name), { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT) });
      if (found.status === 404) return null;
      if (!found.ok) throw refusal('HEAD', found.status);
      return { bytes: Number(found.headers.get('content-length')), read: (range) => read(name, range) };
    },
  };

  async function* read(name: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {};
    const answer = await client.fetch(urlOf(name), { headers });
    if (answer.status !== (range ? 206 : 200) || !answer.body) throw refusal('GET', answer.status);
    yield* answer.body;
  }
}

const refusal = (method: string, status: number, code = 'no code'): Error =>
  new Error(`The storage of contents answered ${method} with ${status} (${code}).`);

async function nextOf(parts: AsyncIterator<Buffer>): Promise<Buffer | null> {
  const next = await parts.next();
  return next.done ? null : next.value;
}

/** A content in parts of PART_BYTES or a little more, the last one smaller. */
async function* inParts(content: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    signal.throwIfAborted();
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
