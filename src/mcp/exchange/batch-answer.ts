import type { ServerResponse } from 'node:http';
import type { CallerAnswer } from './answer.ts';
import { EventStream } from './event-stream.ts';

/** The answers to the requests of a batch, on one stream that ends with the last of them. */
export class BatchAnswer {
  readonly #stream: EventStream;
  readonly #parts: BatchPart[] = [];
  #left: number;

  constructor(response: ServerResponse, count: number, headers: Readonly<Record<string, string>>) {
    this.#stream = new EventStream(response, headers);
    this.#left = count;
    response.on('close', () => {
      for (const part of this.#parts) part.goAway();
    });
    response.on('drain', () => {
      for (const part of this.#parts) part.onDrain?.();
    });
  }

  /** The answer to one of its requests. */
  part(): CallerAnswer {
    const part = new BatchPart(this.#stream, () => {
      this.#left--;
      if (this.#left === 0) this.#stream.end();
    });
    this.#parts.push(part);
    return part;
  }
}

class BatchPart implements CallerAnswer {
  onGone: (() => void) | null = null;
  onDrain: (() => void) | null = null;
  readonly streams = true;
  isGone = false;
  readonly #stream: EventStream;
  readonly #onEnd: () => void;
  #isOver = false;

  constructor(stream: EventStream, onEnd: () => void) {
    this.#stream = stream;
    this.#onEnd = onEnd;
  }

  notify(text: string, id?: string): boolean {
    return this.#isOver || this.isGone ? true : this.#stream.write(text, id);
  }

  end(text: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.isGone) this.#stream.write(text);
    this.#onEnd();
  }

  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
  }

  goAway(): void {
    if (this.#isOver || this.isGone) return;
    this.isGone = true;
    this.onGone?.();
  }
}
