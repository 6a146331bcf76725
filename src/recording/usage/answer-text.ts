import { type CapturedAnswer, HEAD_BYTES, TAIL_BYTES } from '../log/answers/capture.ts';

/** What can be read of an answer: where usage is reported, beginning and end. */
export type AnswerText = { text: string; isStream: boolean };

/** Events of Amazon hold their JSON in the clear, between bytes that are none. */
const readable = /json|event-stream|amazon\.eventstream/i;
const stream = /event-?stream/i;

/**
 * The text of an answer, not compressed, in which its usage stands; null when it cannot be read. It is the same however much of
 * the answer was kept, so that limits count what the log says.
 */
export function answerText(answer: CapturedAnswer | null): AnswerText | null {
  const type = String(answer?.headers['content-type'] ?? '');
  if (!answer || !readable.test(type)) return null;
  const isStream = stream.test(type);
  const { head, tail, size } = answer;
  const end = tail.length === 0 ? head : tail;
  const before = tail.length === 0 ? 0 : size - tail.length;
  if (isStream && size <= HEAD_BYTES + TAIL_BYTES)
    return {
      text: textAt(before === 0 ? end : Buffer.concat([head.subarray(0, before), end]), 0, size),
      isStream,
    };
  const last = textAt(end, Math.max(0, end.length - TAIL_BYTES), end.length);
  // Of a JSON body only the end counts: the report is behind the content, in which there may be something like it.
  return { text: isStream ? `${textAt(head, 0, HEAD_BYTES)}\n${last}` : last, isStream };
}

const textAt = (bytes: Buffer, start: number, end: number): string => bytes.toString('utf8', start, end);
