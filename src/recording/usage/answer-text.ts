import type { CapturedAnswer } from '../log/answers/capture.ts';

/** What can be read of an answer: where usage is reported, beginning and end. */
export type AnswerText = { text: string; isStream: boolean };

const HEAD_LIMIT = 16 * 1024;
const TAIL_LIMIT = 64 * 1024;

/** Events of Amazon hold their JSON in the clear, between bytes that are none. */
const readable = /json|event-stream|amazon\.eventstream/i;
const stream = /event-?stream/i;

/** The text of an answer, not compressed, in which its usage stands; null when it cannot be read. */
export function answerText(answer: CapturedAnswer | null): AnswerText | null {
  const type = String(answer?.headers['content-type'] ?? '');
  if (!answer || !readable.test(type)) return null;
  const isStream = stream.test(type);
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
