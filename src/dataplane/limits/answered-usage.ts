import type { CapturedAnswer } from '../../recording/log/answers/capture.ts';
import { encodingOf } from '../../recording/log/answers/capture.ts';
import { decode } from '../../recording/log/answers/decode.ts';
import { type AnswerText, answerText, findUsage, type Usage } from '../../recording/usage/index.ts';

/** Bytes of the longest answer that is unpacked. */
const DECODED_LIMIT = 8 * 1024 * 1024;

export type AnsweredUsage = { usage: Usage; text: AnswerText };

/** What an answer says that it took, read as the log reads it; null where it cannot be read. */
export function answeredUsage(answer: CapturedAnswer): AnsweredUsage | null {
  const text = answerText(answer);
  return text && { usage: findUsage(text), text };
}

export const isCompressed = ({ headers }: CapturedAnswer): boolean => encodingOf(headers) !== null;

/** The same of an answer that is compressed, as callers may ask for on paths that are passed on. */
export async function unpackedUsage(answer: CapturedAnswer): Promise<AnsweredUsage | null> {
  const coding = encodingOf(answer.headers);
  const unpacked = coding && (await decode(answer.head, coding, { limit: DECODED_LIMIT, isPart: true }));
  if (!unpacked) return null;
  const { 'content-encoding': _coding, ...headers } = answer.headers;
  return answeredUsage({
    ...answer,
    headers,
    head: unpacked.bytes,
    size: unpacked.bytes.length,
    tail: Buffer.alloc(0),
    isComplete: unpacked.isWhole && answer.isComplete,
  });
}
