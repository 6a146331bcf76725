import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify, TextDecoder } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { GatewayError } from '../../errors/index.ts';
import { bodyTooLarge, type Hold, readBody } from '../../lib/bodies/index.ts';

const MAX_BYTES = 1024 * 1024;

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const codings: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', promisify(gunzip) as Unpack],
  ['deflate', promisify(inflate) as Unpack],
  ['br', promisify(brotliDecompress) as Unpack],
]);

/** The value of a JSON body; undefined for a body of another type, which stays unread and takes no memory. */
export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  makeHold: () => Hold,
): Promise<unknown> {
  const { headers } = request;
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') return undefined;
  const decoder = decoderOf(parameters);
  const coding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  const unpack = codings.get(coding);
  if (!unpack && coding !== 'identity') throw unsupported(`The content-encoding ${coding.slice(0, 40)}`);
  const hold = makeHold();
  const bytes = await readBody(request, response, hold, MAX_BYTES);
  const plain = unpack ? await unpacked(bytes, unpack, hold) : bytes;
  return parse(decoder.decode(plain));
}

const utf8 = new TextDecoder();

function decoderOf(parameters: string[]): TextDecoder {
  const text = parameters.map((parameter) => parameter.trim()).find((each) => /^charset=/i.test(each));
  const charset = text?.slice('charset='.length).replaceAll('"', '').toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8') return utf8;
  if (charset === 'utf-16' || charset === 'utf-16le' || charset === 'utf-16be')
    return new TextDecoder(charset);
  throw unsupported(`The charset ${charset.slice(0, 40)}`);
}

async function unpacked(bytes: Buffer, unpack: Unpack, hold: Hold): Promise<Buffer> {
  try {
    const plain = await unpack(bytes, { maxOutputLength: MAX_BYTES });
    hold.set(plain.length);
    return plain;
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(MAX_BYTES);
    throw new GatewayError('MALFORMED_BODY', { cause });
  }
}

function parse(text: string): unknown {
  // An empty body is reported later, as a request without an operation.
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('MALFORMED_BODY', { cause });
  }
  if (typeof value === 'object' && value !== null) return value;
  throw new GatewayError('MALFORMED_BODY', { message: 'The request body must be a JSON object.' });
}

const unsupported = (what: string): GatewayError =>
  new GatewayError('UNSUPPORTED_MEDIA_TYPE', { message: `${what} is not supported.` });
