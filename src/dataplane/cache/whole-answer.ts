import { wholeFormatOf } from '../../formats/index.ts';
import { createEventReader, EventTooLargeError, type ServerSentEvent } from '../../lib/event-stream/index.ts';
import type { Endpoint } from '../../providers/index.ts';
import { type CapturedAnswer, encodingOf } from '../../recording/log/answers/capture.ts';
import { decode } from '../../recording/log/answers/decode.ts';

/** Bytes of the largest answer that is kept. */
export const MAX_ENTRY_BYTES = 1024 * 1024;

/**
 * A successful answer as JSON text, put together when it came as a stream, unpacked when it came compressed; null when it is
 * not to be kept.
 */
export function wholeAnswer(
  endpoint: Endpoint,
  { headers, head, isComplete }: CapturedAnswer,
): string | null | Promise<string | null> {
  const type = String(headers['content-type'] ?? '');
  if (!isComplete || !keptTypes.test(type)) return null;
  const coding = encodingOf(headers);
  if (coding === null) return wholeText(endpoint, type, head);
  return decode(head, coding, { limit: MAX_ENTRY_BYTES, isPart: false }).then((decoded) =>
    decoded?.isWhole ? wholeText(endpoint, type, decoded.bytes) : null,
  );
}

const streamType = /^text\/event-stream/i;
const keptTypes = /^(?:text\/event-stream|application\/(?:[\w.+-]+\+)?json)/i;

function wholeText(endpoint: Endpoint, type: string, bytes: Buffer): string | null {
  try {
    return streamType.test(type) ? assembled(endpoint, bytes) : checked(bytes);
  } catch (error) {
    // RangeError: too deep to be written again.
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof EventTooLargeError)
      return null;
    throw error;
  }
}

function assembled(endpoint: Endpoint, bytes: Buffer): string | null {
  const events: ServerSentEvent[] = [];
  createEventReader((event) => events.push(event)).feed(bytes);
  const whole = wholeFormatOf(endpoint)?.assemble(events) ?? null;
  return whole && JSON.stringify(whole);
}

/** Some providers say 200 and mean an error. */
function checked(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  const value: unknown = JSON.parse(text);
  const isAnswer = typeof value === 'object' && value !== null && !('error' in value && value.error);
  return isAnswer ? text : null;
}
