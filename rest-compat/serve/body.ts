import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../src/errors/index.ts';
import { BodyAborted, readBody } from '../../src/lib/bodies/index.ts';
import { clientAddress } from '../../src/lib/http/client-address.ts';
import { isNestedDeeperThan, maxDepth } from '../../src/lib/storable.ts';
import type { RestRequest } from './route.ts';

const MAX_BYTES = 1024 * 1024;

/** Reads a JSON body of at most `maxBytes`; undefined when the request has none. */
export async function readJsonBody(
  { request, response, context, bodies }: RestRequest,
  maxBytes = MAX_BYTES,
): Promise<unknown> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return undefined;
  const hold = bodies.hold(context.principal, clientAddress(request));
  const bytes = await readBody(request, response, hold, maxBytes);
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
