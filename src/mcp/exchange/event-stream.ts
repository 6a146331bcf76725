import type { ServerResponse } from 'node:http';

/** Milliseconds between two comments on a stream that has nothing to say. */
const COMMENT_MS = 15_000;

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** One message as an event. A line break in JSON stands between its parts, where a space means the same. */
export const eventText = (text: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${LINE_BREAK.test(text) ? text.replace(/[\r\n]+/g, ' ') : text}\n\n`;

const LINE_BREAK = /[\r\n]/;

/** Writes a stream of events, with comments while there is nothing to say. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #comments: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    response.writeHead(200, { ...streamHeaders, ...headers });
    response.flushHeaders();
    this.#comments = setInterval(() => response.write(': open\n\n'), COMMENT_MS);
    response.once('close', () => clearInterval(this.#comments));
  }

  write(text: string, id?: string): boolean {
    return this.#response.write(eventText(text, id));
  }

  /** An event without data, by whose id the stream can be taken up again. */
  prime(id: string, retryMs: number | null): void {
    this.#response.write(`id: ${id}\n${retryMs === null ? '' : `retry: ${retryMs}\n`}data: \n\n`);
  }

  end(text?: string, id?: string): void {
    clearInterval(this.#comments);
    this.#response.end(text === undefined ? undefined : eventText(text, id));
  }
}
