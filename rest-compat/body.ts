import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../src/errors/index.ts';
import { isNestedDeeperThan, maxDepth } from '../src/lib/storable.ts';

const maxBytes = 1024 * 1024;

/** The caller hung up before the body was complete; there is nobody left to answer. */
export class BodyAborted extends Error {}

/** Reads a JSON body; undefined when the request has none. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const { headers } = request;
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new GatewayError('BODY_TOO_LARGE');
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return undefined;
  const bytes = await readAll(request);
  if (bytes.length === 0) return undefined;
  requireJson(headers['content-type'], headers['content-encoding']);
  const value = parse(bytes);
  if (isNestedDeeperThan(maxDepth, value)) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: `The body is nested more than ${maxDepth} levels.`,
    });
  }
  return value;
}

function readAll(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.pause();
        reject(new GatewayError('BODY_TOO_LARGE'));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => reject(new BodyAborted()));
    request.on('close', () => reject(new BodyAborted()));
  });
}

/** A body as it comes; throws BODY_TOO_LARGE once it is longer than `bound` bytes. */
export async function* readBytes(request: IncomingMessage, bound: number): AsyncGenerator<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bound) throw new GatewayError('BODY_TOO_LARGE');
  let size = 0;
  // The answer still needs the connection when the rest of the body is not wanted.
  const chunks = request.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
  try {
    for (let next = await nextOf(chunks); !next.done; next = await nextOf(chunks)) {
      size += next.value.length;
      if (size > bound) throw new GatewayError('BODY_TOO_LARGE');
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

const nextOf = (chunks: AsyncIterator<Buffer>) =>
  chunks.next().catch(() => {
    // Reading a request fails only when its connection broke.
    throw new BodyAborted();
  });

function requireJson(contentType: string | undefined, encoding: string | undefined): void {
  const [mediaType = '', ...parameters] = (contentType ?? 'application/json').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((text) => text.startsWith('charset='));
  const isJson = /^application\/([\w.+-]+\+)?json$/.test(mediaType.trim());
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if (!isJson || !isUtf8 || (encoding && encoding !== 'identity')) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The body must be application/json in UTF-8, not compressed.',
    });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    throw new GatewayError('MALFORMED_BODY', { cause: error });
  }
}
