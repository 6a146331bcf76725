import { Readable } from 'node:stream';
import { request } from 'undici';
import { z } from 'zod';
import { GatewayError } from '../errors/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { StoredContent } from '../storage/contents/index.ts';

/** Asks a scanner about a content. Throws VALIDATION_FAILED for one that is refused, FILE_SCAN_UNAVAILABLE where it does not say. */
export type FileScan = (content: StoredContent, signal: AbortSignal) => Promise<void>;

/** Milliseconds for the bytes and the verdict together: a file may have some gigabytes. */
const PATIENCE_MS = 600_000;
/** Characters of an answer, and of its reason. */
const LONGEST_ANSWER = 65_536;
const LONGEST_REASON = 300;

const verdictSchema = z.object({ verdict: z.enum(['clean', 'infected']), reason: z.string().optional() });

/** `url`: where the scanner is; it belongs to the operator, so any address may be it. */
export function createFileScan(url: string, log: Logger): FileScan {
  async function verdictOn({ bytes, read }: StoredContent, signal: AbortSignal) {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
        accept: 'application/json',
      },
      body: Readable.from(read(), { objectMode: false }),
      // The scanner may read everything before it answers.
      headersTimeout: PATIENCE_MS,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    let text = '';
    for await (const chunk of body.setEncoding('utf8')) {
      text += chunk;
      if (text.length > LONGEST_ANSWER) throw new Error('The answer of the scanner is too long.');
    }
    if (statusCode !== 200) throw new Error(`The scanner answered with ${statusCode}.`);
    return verdictSchema.parse(JSON.parse(text));
  }

  return async (content, signal) => {
    const said = await verdictOn(content, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      log.warn({ error }, 'A file was refused, since the scanner does not say whether it is clean.');
      throw new GatewayError('FILE_SCAN_UNAVAILABLE', { cause: error });
    });
    if (said.verdict === 'infected') throw refused(said.reason);
  };
}

const refused = (reason: string | undefined): GatewayError =>
  new GatewayError('VALIDATION_FAILED', {
    message: `The scanner of this installation refuses the file${reason ? `: ${reason.slice(0, LONGEST_REASON)}` : '.'}`,
    param: 'file',
    reason: 'file_refused',
  });
