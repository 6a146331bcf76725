import type { CapturedAnswer } from '../../recording/log/answers/capture.ts';
import { encodingOf } from '../../recording/log/answers/capture.ts';
import { decode } from '../../recording/log/answers/decode.ts';
import { type AnswerText, answerText, findUsage, type Usage } from '../../recording/usage/index.ts';

/** Bytes at either end of an answer in which usage is looked for first: reading all of a long one takes ten times as long. */
const END = 2048;
/** Bytes of the longest answer that is unpacked. */
const DECODED_LIMIT = 8 * 1024 * 1024;

export type AnsweredUsage = { usage: Usage; text: AnswerText };

/** What an answer says that it took; null where it cannot be read. */
export function answeredUsage(answer: CapturedAnswer): AnsweredUsage | null {
  const text = answerText(answer);
  if (text === null) return null;
  const ends = endsOf(text);
  if (ends !== null) {
    const usage = findUsage(ends);
    if (usage.counts.tokenClasses !== null) return { usage, text };
  }
  return { usage: findUsage(text), text };
}

/** Null for a short answer, and for one whose parts are billed wherever they stand. */
function endsOf({ text, isStream }: AnswerText): AnswerText | null {
  if (text.length <= 2 * END || text.includes('_search_call"')) return null;
  return { text: isStream ? `${text.slice(0, END)}\n${text.slice(-END)}` : text.slice(-END), isStream };
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
