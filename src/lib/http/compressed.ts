import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Bytes from which compression saves more time than it takes. */
const WORTHWHILE = 8 * 1024;

/** Qualities at which megabytes take a few dozen milliseconds, outside the event loop. */
const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 5 }),
};

type Encoding = keyof typeof encoders;

/** What to send in place of a text, and the headers that say what it is. */
export type Encoded = { body: Buffer | string; headers: Record<string, string> };

/**
 * A text as the caller accepts it. Only for answers that read: one that holds a secret, such as a new key, must not be compressed
 * beside what a caller wrote, since its length would tell of the secret.
 */
export async function compressed(
  { headers: { 'accept-encoding': accepted } }: Pick<IncomingMessage, 'headers'>,
  response: ServerResponse,
  text: string,
): Promise<Encoded> {
  if (text.length < WORTHWHILE) return { body: text, headers: {} };
  if (!response.headersSent) response.appendHeader('vary', 'accept-encoding');
  const encoding = encodingOf(accepted);
  if (encoding === null) return { body: text, headers: {} };
  return { body: await encoders[encoding](Buffer.from(text)), headers: { 'content-encoding': encoding } };
}

/** The one that the caller prefers and, of equals, the smaller one; null where it takes neither. */
function encodingOf(accepted: string | string[] | undefined): Encoding | null {
  const weights = new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
        const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
        return [name, Number(weight)] as const;
      }),
  );
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 ? best : null;
}
