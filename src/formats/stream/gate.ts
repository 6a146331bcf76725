import { createEventReader, type EventReader, EventTooLargeError } from '../../lib/event-stream/index.ts';
import type { StreamEventKind, StreamFormat } from './stream-format.ts';

/** Events and bytes that are held back at most. A beginning that is longer goes on, whatever it says. */
export const MAX_HELD_EVENTS = 64;
export const MAX_HELD_BYTES = 256 * 1024;

/**
 * Holds the beginning of a stream until there is something to show, so that a stream which fails at once can still
 * become another attempt. Comments and pings of the provider are held with it.
 */
export class Gate {
  readonly #chunks: Buffer[] = [];
  readonly #reader: EventReader;
  #size = 0;
  #events = 0;
  #kind: StreamEventKind = 'opening';

  constructor(format: StreamFormat) {
    this.#reader = createEventReader(({ name, data }) => {
      this.#events++;
      if (this.#kind === 'opening') this.#kind = format.kindOf(name, data);
    }, MAX_HELD_BYTES);
  }

  /** Takes the next bytes; returns what the stream has come to with them, which is `content` as soon as a bound is passed. */
  push(chunk: Buffer): StreamEventKind {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    try {
      this.#reader.feed(chunk);
    } catch (error) {
      if (!(error instanceof EventTooLargeError)) throw error;
      return 'content';
    }
    const isFull = this.#size > MAX_HELD_BYTES || this.#events >= MAX_HELD_EVENTS;
    return this.#kind === 'opening' && isFull ? 'content' : this.#kind;
  }

  /** All bytes that were pushed; null when there were none. */
  held(): Buffer | null {
    return this.#chunks.length < 2 ? (this.#chunks[0] ?? null) : Buffer.concat(this.#chunks);
  }
}
