import { createEventReader, EventTooLargeError, type ServerSentEvent } from '../../lib/event-stream/index.ts';
import type { Endpoint } from '../../providers/index.ts';
import { type CapturedAnswer, encodingOf } from '../../recording/capture.ts';
import { formats } from './formats/index.ts';

/** Bytes of the largest answer that is kept. */
export const MAX_ENTRY_BYTES = 1024 * 1024;

/** A successful answer as JSON text, put together when it came as a stream; null when it is not to be kept. */
export function wholeAnswer(endpoint: Endpoint, answer: CapturedAnswer): string | null {
  if (!answer.isComplete || encodingOf(answer.headers)) return null;
  const type = String(answer.headers['content-type'] ?? '');
  const bytes = answer.head;
  try {
    if (/^text\/event-stream/i.test(type)) return assembled(endpoint, bytes);
    return /^application\/(?:[\w.+-]+\+)?json/i.test(type) ? checked(bytes) : null;
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
  const whole = formats[endpoint]?.assemble(events) ?? null;
  return whole && JSON.stringify(whole);
}

/** Some providers say 200 and mean an error. */
function checked(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  const value: unknown = JSON.parse(text);
  const isAnswer = typeof value === 'object' && value !== null && !('error' in value && value.error);
  return isAnswer ? text : null;
}
