import { Capture } from '../recording/capture.ts';
import { type KeptMessage, kept } from '../recording/request-log.ts';
import type { Send, UpstreamControl, UpstreamHeaders } from './upstream/upstream.ts';

/**
 * For the log, what crossed the wire where a provider is asked in another format than the caller's: the last request, and
 * the beginning of its answer.
 */
export class Wire {
  readonly #limit: number;
  #answer: Capture | null = null;
  /** Null where nothing was sent. */
  asked: KeptMessage | null = null;

  /** `limit`: bytes of a body to keep. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The provider's own answer; null where nothing came. */
  get answered(): KeptMessage | null {
    if (!this.#answer) return null;
    const { headers, head, size } = this.#answer.taken();
    return { headers, body: { bytes: head, size } };
  }

  /** The same way to a provider, looked at. */
  fetching(ask: typeof fetch): typeof fetch {
    const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const { body } = init;
      this.#ask(
        Object.fromEntries(new Headers(init.headers)),
        body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : NOTHING,
      );
      const response = await ask(input, init);
      const answer = this.#hear(Object.fromEntries(response.headers));
      return response.body ? copied(response, response.body, answer) : response;
    };
    return send as typeof fetch;
  }

  /** The same way to a provider, looked at. */
  sending(send: Send): Send {
    return (request, sink): UpstreamControl => {
      this.#ask(request.headers, Buffer.isBuffer(request.body) ? request.body : NOTHING);
      let answer: Capture | null = null;
      return send(request, {
        opening: () => sink.opening?.(),
        head: (status, headers) => {
          answer = this.#hear(headers);
          return sink.head(status, headers);
        },
        data: (chunk) => {
          answer?.add(chunk);
          return sink.data(chunk);
        },
        end: () => sink.end(),
        fail: (failure, cause, lastWords) => sink.fail(failure, cause, lastWords),
      });
    };
  }

  #ask(headers: UpstreamHeaders, body: Buffer): void {
    this.asked = { headers, body: kept(body, this.#limit) };
    this.#answer = null;
  }

  #hear(headers: UpstreamHeaders): Capture {
    this.#answer = new Capture(this.#limit);
    this.#answer.begin(headers);
    return this.#answer;
  }
}

const NOTHING = Buffer.alloc(0);

function copied(response: Response, body: ReadableStream<Uint8Array>, answer: Capture): Response {
  const copying = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      answer.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body.pipeThrough(copying), { status, statusText, headers });
}
