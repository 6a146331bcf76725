import type { ServerResponse } from 'node:http';
import { EventStream } from './event-stream.ts';

/** Where the messages for one request of a caller go. Exactly one of its ends is called, last. */
export type CallerAnswer = {
  /**
   * Sends a message before the answer, which makes the answer a stream; `false` asks to pause until `onDrain` is called. `id`: of
   * the event, by which a caller may resume the stream.
   */
  notify(text: string, id?: string): boolean;
  /** Begins a stream that can be taken up again by this id of an event, after as many milliseconds. */
  prime?(id: string, retryMs: number | null): void;
  /** Whether messages before the answer reach anybody. */
  readonly streams: boolean;
  /** The last message. `status`, `headers`: used where no stream has begun. */
  end(text: string, status?: number, headers?: Readonly<Record<string, string>>): void;
  /** Ends without a last message: the caller has cancelled the request. */
  leave(): void;
  /** The caller is gone before the last message. */
  readonly isGone: boolean;
  onGone: (() => void) | null;
  onDrain: (() => void) | null;
};

/** Milliseconds without an answer after which a stream begins. */
const PATIENCE_MS = 10_000;

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** The answer to a single request: one JSON object where the result comes first and soon, else a stream. */
export class RequestAnswer implements CallerAnswer {
  onGone: (() => void) | null = null;
  onDrain: (() => void) | null = null;
  readonly streams: boolean;
  readonly #response: ServerResponse;
  readonly #headers: Record<string, string> = {};
  #stream: EventStream | null = null;
  #patience: NodeJS.Timeout | null = null;
  #isOver = false;
  #isGone = false;

  constructor(response: ServerResponse, streams: boolean) {
    this.#response = response;
    this.streams = streams;
    this.#isGone = response.closed;
    if (streams) this.#patience = setTimeout(() => this.#open(), PATIENCE_MS);
    response.on('close', () => {
      this.#stopWaiting();
      if (this.#isOver) return;
      this.#isGone = true;
      this.onGone?.();
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** A header of the answer, whichever form it takes. */
  set(name: string, value: string): void {
    this.#headers[name] = value;
  }

  notify(text: string, id?: string): boolean {
    if (!this.streams || this.#isOver || this.#isGone) return true;
    return this.#open().write(text, id);
  }

  prime(id: string, retryMs: number | null): void {
    if (this.streams && !this.#isOver && !this.#isGone) this.#open().prime(id, retryMs);
  }

  /** Begins a stream before there is anything to say. */
  begin(): void {
    if (this.streams && !this.#isOver && !this.#isGone) this.#open();
  }

  end(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWaiting();
    if (this.#isGone) return;
    if (this.#stream) this.#stream.end(text);
    else this.#json(text, status, headers);
  }

  #json(text: string, status: number, headers: Readonly<Record<string, string>>): void {
    const length = String(Buffer.byteLength(text));
    this.#response
      .writeHead(status, { ...jsonHeaders, ...this.#headers, ...headers, 'content-length': length })
      .end(text);
  }

  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWaiting();
    if (this.#isGone) return;
    if (this.streams) this.#open().end();
    else this.#response.writeHead(202, this.#headers).end();
  }

  #open(): EventStream {
    this.#stopWaiting();
    if (this.#stream === null) {
      this.#stream = new EventStream(this.#response, this.#headers);
      this.#response.on('drain', () => this.onDrain?.());
    }
    return this.#stream;
  }

  #stopWaiting(): void {
    if (this.#patience) clearTimeout(this.#patience);
    this.#patience = null;
  }
}
