import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { GatewayError } from '../../errors/index.ts';
import { isObject } from '../../lib/json.ts';
import { Pieces } from '../../lib/pieces.ts';
import type { Call, RequestBody } from '../call.ts';
import { boundaryOf, parseForm } from '../forms/form.ts';
import { readHead } from '../forms/read-head.ts';
import { isNitro } from '../nitro.ts';
import type { Step } from '../step.ts';

/** Reads the body, bounded. One that is not JSON and too large to keep becomes a stream that is sent once. */
export const readBody: Step = (call, { limits }) => {
  if (call.method === 'GET' || call.method === 'DELETE') {
    call.request.resume();
    return;
  }
  const length = contentLength(call.request);
  if (length !== null && length > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
  const declaresJson = isJson(call.headers['content-type']);
  const mustBeJson = call.route.body === 'json';
  // On other paths JSON too large to parse passes like any other bytes.
  const json = declaresJson && (mustBeJson || length === null || length <= limits.maxJsonBytes);
  if (!declaresJson) requireKnownType(call, length);
  const isNitroCall = isNitro(call);
  if (isNitroCall || (!json && (length === null || length > limits.maxReplayBytes))) {
    const stream = length === null ? bounded(call.request, limits.maxBodyBytes) : call.request;
    call.body = { kind: 'stream', stream, form: null };
    const boundary = isNitroCall ? null : boundaryOf(call.headers['content-type']);
    return boundary === null ? undefined : readFormHead(call, stream, boundary);
  }
  const limit = json ? Math.min(limits.maxJsonBytes, limits.maxBodyBytes) : limits.maxBodyBytes;
  if (length !== null && length > limit) throw tooLarge(limit);
  return collect(call.request, limit).then((bytes) => {
    call.body = parseBody(call, bytes, json);
  });
};

/** The types of spec/data-plane.md, section 2.8, besides JSON; what has none is the provider's to judge. */
const otherTypes = /^(?:multipart\/form-data|audio\/[\w.+-]+|application\/octet-stream)\s*(?:;|$)/i;

function requireKnownType({ headers, route }: Call, length: number | null): void {
  if (route.body === 'json') throw wrongType('Send JSON: content-type must be application/json.');
  const type = headers['content-type'];
  if (route.endpoint === 'proxy' || length === 0 || type === undefined || otherTypes.test(type.trim()))
    return;
  throw wrongType(
    'content-type must be application/json, multipart/form-data, audio/* or application/octet-stream; /v1/proxy takes any.',
  );
}

const wrongType = (message: string): GatewayError =>
  new GatewayError('VALIDATION_FAILED', { message, param: 'content-type' });

function parseBody(call: Call, bytes: Buffer, json: boolean): RequestBody {
  if (bytes.length === 0 && call.route.body !== 'json') return { kind: 'none' };
  if (!json) {
    const boundary = boundaryOf(call.headers['content-type']);
    return { kind: 'bytes', bytes, form: boundary === null ? null : parseForm(bytes, boundary) };
  }
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (isObject(value)) {
      return { kind: 'json', bytes, value };
    }
  } catch (cause) {
    // On other paths the body is between the caller and the provider.
    if (call.route.body === 'json') throw new GatewayError('MALFORMED_BODY', { cause });
    return { kind: 'bytes', bytes, form: null };
  }
  if (call.route.body === 'json')
    throw new GatewayError('MALFORMED_BODY', { message: 'The request body must be a JSON object.' });
  return { kind: 'bytes', bytes, form: null };
}

async function readFormHead(call: Call, stream: Readable, boundary: string): Promise<void> {
  const { bytes, form, isWhole } = await readHead(stream, boundary);
  if (isWhole) call.body = { kind: 'bytes', bytes, form };
  else if (form && form.parts.length > 0) call.body = { kind: 'stream', stream, form };
  else stream.unshift(bytes);
}

const isJson = (contentType: string | undefined) =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');

function contentLength(request: IncomingMessage): number | null {
  const text = request.headers['content-length'];
  if (text !== undefined) return Number(text);
  return request.headers['transfer-encoding'] === undefined ? 0 : null;
}

const tooLarge = (limit: number) =>
  new GatewayError('BODY_TOO_LARGE', { message: `The request body is larger than ${limit} bytes.` });

/** Fails with BODY_TOO_LARGE once more than `limit` bytes came. */
function bounded(request: IncomingMessage, limit: number): Readable {
  let size = 0;
  const gauge = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) done(tooLarge(limit));
      else done(null, chunk);
    },
  });
  // A caller that hangs up ends the whole call through its signal.
  request.on('error', (error) => gauge.destroy(error));
  return request.pipe(gauge);
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    request.on('data', (chunk: Buffer) => {
      pieces.add(chunk);
      if (pieces.size <= limit) return;
      request.removeAllListeners('data');
      request.resume();
      reject(tooLarge(limit));
    });
    request.on('end', () => resolve(pieces.joined()));
    request.on('error', reject);
  });
}
