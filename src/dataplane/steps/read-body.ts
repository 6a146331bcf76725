import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { GatewayError } from '../../errors/index.ts';
import { announcedBytes, bodyTooLarge, readBody as readWhole } from '../../lib/bodies/index.ts';
import { clientAddress } from '../../lib/http/client-address.ts';
import { isObject } from '../../lib/json.ts';
import type { Call, RequestBody } from '../call/call.ts';
import { boundaryOf, parseForm } from '../forms/form.ts';
import { readHead } from '../forms/read-head.ts';
import type { CallStep } from './call-step.ts';
import { isNitro } from './nitro-mode.ts';

/** Reads the body, bounded. One that is not JSON and too large to keep becomes a stream that is sent once. */
export const readBody: CallStep = (call, { limits, bodies }) => {
  const length = announcedBytes(call.request);
  if (length === 0 && (call.method === 'GET' || call.method === 'DELETE')) {
    call.request.resume();
    return;
  }
  if (length !== null && length > limits.maxBodyBytes) throw bodyTooLarge(limits.maxBodyBytes);
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
  const hold = bodies.hold(call.key.principal, clientAddress(call.request));
  return readWhole(call.request, call.response, hold, limit).then((bytes) => {
    call.body = parseBody(call, bytes, json);
  });
};

/** The content types that are taken beside JSON. A body without one is for the provider to judge. */
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

/** Fails with BODY_TOO_LARGE once more than `limit` bytes came. */
function bounded(request: IncomingMessage, limit: number): Readable {
  let size = 0;
  const gauge = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) done(bodyTooLarge(limit));
      else done(null, chunk);
    },
  });
  // A caller that hangs up ends the whole call through its signal.
  request.on('error', (error) => gauge.destroy(error));
  return request.pipe(gauge);
}
