import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { StaticFile } from './built.ts';
import { unlessMissing } from './unless-missing.ts';

const YEAR_S = 31_536_000;

/** Sends a file, compressed where the browser takes that, or 304 to a browser that has it; false where it has just been removed. */
export async function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StaticFile,
): Promise<boolean> {
  const isCompressed = file.hasBrotli && takesBrotli(request.headers['accept-encoding']);
  const headers = {
    'content-type': file.contentType,
    'cache-control': file.isImmutable ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(isCompressed && { 'content-encoding': 'br' }),
  };
  if (hasIt(request.headers['if-none-match'], file.etag)) {
    response.writeHead(304, headers).end();
    return true;
  }
  if (request.method === 'HEAD') {
    response.writeHead(200, headers).end();
    return true;
  }
  const opened = await open(isCompressed ? `${file.path}.br` : file.path).catch(unlessMissing);
  if (opened === null) return false;
  response.writeHead(200, headers);
  await pipeline(opened.createReadStream(), response).catch(unlessLeft);
  return true;
}

const takesBrotli = (accepted: string | string[] = ''): boolean =>
  String(accepted)
    .split(',')
    .some((coding) => /^\s*br\s*(;\s*q\s*=\s*(?!0(\.0*)?\s*$).*)?$/i.test(coding));

const hasIt = (known: string | undefined, etag: string): boolean =>
  known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;

/** Whoever closes a page does not wait for its files. */
function unlessLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error.code !== 'ECONNRESET') throw error;
}
