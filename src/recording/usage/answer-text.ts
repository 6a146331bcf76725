import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { type CapturedAnswer, encodingOf } from '../capture.ts';

/** What can be read of an answer: where usage is reported, beginning and end. */
export type AnswerText = { text: string; isStream: boolean };

const HEAD_LIMIT = 16 * 1024;
const TAIL_LIMIT = 64 * 1024;
const DECOMPRESSED_LIMIT = 8 * 1024 * 1024;

const decompressors: Record<
  string,
  (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** Events of Amazon hold their JSON in the clear, between bytes that are none. */
const readable = /json|event-stream|amazon\.eventstream/i;
const stream = /event-?stream/i;

/** The text of an answer in which its usage stands; null when it cannot be read. Only a compressed one is waited for. */
export function answerText(answer: CapturedAnswer | null): AnswerText | null | Promise<AnswerText | null> {
  const type = String(answer?.headers['content-type'] ?? '');
  if (!answer || !readable.test(type)) return null;
  const isStream = stream.test(type);
  const encoding = encodingOf(answer.headers);
  if (encoding) return decompressed(answer, encoding, isStream);
  const { head, tail } = answer;
  if (answer.isComplete) return { text: endsOf(head, isStream), isStream };
  // Of a JSON body only the end counts: the report is behind the content, in which there may be something like it.
  const text = isStream ? `${textAt(head, 0, HEAD_LIMIT)}\n${endOf(tail)}` : endOf(tail);
  return { text, isStream };
}

const textAt = (bytes: Buffer, start: number, end: number): string => bytes.toString('utf8', start, end);

const endOf = (bytes: Buffer): string => textAt(bytes, Math.max(0, bytes.length - TAIL_LIMIT), bytes.length);

function endsOf(bytes: Buffer, isStream: boolean): string {
  if (bytes.length <= HEAD_LIMIT + TAIL_LIMIT) return textAt(bytes, 0, bytes.length);
  return isStream ? `${textAt(bytes, 0, HEAD_LIMIT)}\n${endOf(bytes)}` : endOf(bytes);
}

async function decompressed(
  { head, isComplete }: CapturedAnswer,
  encoding: string,
  isStream: boolean,
): Promise<AnswerText | null> {
  const decompress = decompressors[encoding];
  if (!decompress || !isComplete) return null;
  try {
    const bytes = await decompress(head, { maxOutputLength: DECOMPRESSED_LIMIT });
    return { text: endsOf(bytes, isStream), isStream };
  } catch {
    // The provider's encoding is broken or a bomb; the caller got it as it was, the log does without the counts.
    return null;
  }
}
