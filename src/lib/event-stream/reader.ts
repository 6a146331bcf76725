import { createParser } from 'eventsource-parser';

/** One event of a `text/event-stream`. */
export type ServerSentEvent = {
  /** The `event:` line; null where there is none, which means `message`. */
  name: string | null;
  /** The `data:` lines, joined by line feeds. */
  data: string;
  /** The event's own `id:` line. */
  id: string | null;
};

export type EventReader = {
  /**
   * Takes the next bytes, cut anywhere, and gives each event that they complete to the listener. Throws
   * EventTooLargeError, and what the listener throws; the reader is of no use afterwards.
   */
  feed(chunk: Uint8Array): void;
};

/** Characters of one event's data that are kept unless told otherwise. */
export const MAX_EVENT_LENGTH = 1024 * 1024;

/** Room beside the data for the names of its lines and an `event:` or `id:` that is still on its way. */
const LINE_ROOM = 1024;

export class EventTooLargeError extends Error {
  constructor(limit: number) {
    super(`An event of the stream is larger than ${limit} characters.`);
    this.name = 'EventTooLargeError';
  }
}

/**
 * Reads an event stream as the HTML standard defines it: LF, CRLF or CR end a line, comments and unknown lines are
 * skipped, and only a blank line completes an event. `onRetry` is told the
 * milliseconds of `retry:` lines.
 */
export function createEventReader(
  onEvent: (event: ServerSentEvent) => void,
  maxEventLength = MAX_EVENT_LENGTH,
  onRetry?: (milliseconds: number) => void,
): EventReader {
  // The parser takes the byte order mark off.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parser = createParser({
    maxBufferSize: maxEventLength + LINE_ROOM,
    ...(onRetry && { onRetry }),
    // An event that came in one piece was never in the parser's buffer.
    onEvent({ event, data, id }) {
      if (data.length > maxEventLength) throw new EventTooLargeError(maxEventLength);
      onEvent({ name: event ?? null, data, id: id ?? null });
    },
  });
  return {
    feed(chunk) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      try {
        // Nothing more is taken after an overflow. `onError` would tell it too, at the price of an Error for each unknown line.
        parser.feed('');
      } catch {
        throw new EventTooLargeError(maxEventLength);
      }
    },
  };
}
