import { Capture } from '../../recording/log/answers/capture.ts';
import { type KeptMessage, kept } from '../../recording/log/draft.ts';
import type { Send, UpstreamControl, UpstreamHeaders } from './upstream.ts';

/** One request to a provider and the beginning of its answer. */
type Crossing = { asked: KeptMessage; answer: Capture | null };

/**
 * Copies, for the log, the request to the provider and the provider's answer, where a provider is asked in another format
 * than the caller's. Of several requests it keeps the one that was sent last.
 */
export class WireTap {
  readonly #limit: number;
  #last: Crossing | null = null;

  /** `limit`: bytes of a body to keep. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The request; null where nothing was sent. */
  get asked(): KeptMessage | null {
    return this.#last?.asked ?? null;
  }

  /** The provider's own answer; null where nothing came. */
  answered(): KeptMessage | null {
    const answer = this.#last?.answer;
    if (!answer) return null;
    const { headers, head, size } = answer.taken();
    return { headers, body: { bytes: head, size } };
  }

  /** `fetch` of which requests and answers are copied. */
  fetching(ask: typeof fetch): typeof fetch {
    const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const crossing = this.#ask(Object.fromEntries(new Headers(init.headers)), bytesOf(init.body));
      const response = await ask(input, init);
      // `fetch` has decoded the body, so that these two headers are not true of it any more.
      const { 'content-encoding': _coding, 'content-length': _length, ...headers } = headersOf(response);
      const answer = this.#hear(crossing, headers);
      return response.body && response.status < NO_STATUS
        ? copied(response, response.body, answer)
        : response;
    };
    return send as typeof fetch;
  }

  /** A send of which requests and answers are copied. */
  sending(send: Send): Send {
    return (request, sink): UpstreamControl => {
      const crossing = this.#ask(request.headers, bytesOf(request.body));
      let answer: Capture | null = null;
      return send(request, {
        opening: () => sink.opening?.(),
        head: (status, headers) => {
          answer = this.#hear(crossing, headers);
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

  /** A send that forgets the copy of the attempt before: a further attempt may fail before it sends anything. */
  trying(send: Send): Send {
    return (request, sink) => {
      this.#last = null;
      return send(request, sink);
    };
  }

  #ask(headers: UpstreamHeaders, body: Buffer): Crossing {
    this.#last = { asked: { headers, body: kept(body, this.#limit) }, answer: null };
    return this.#last;
  }

  #hear(crossing: Crossing, headers: UpstreamHeaders): Capture {
    crossing.answer = new Capture(this.#limit);
    crossing.answer.begin(headers);
    return crossing.answer;
  }
}

/** The first number that `Response` does not take as a status, although a provider may send it. */
const NO_STATUS = 600;
const NOTHING = Buffer.alloc(0);

const bytesOf = (body: unknown): Buffer =>
  body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : NOTHING;

const headersOf = ({ headers }: Response): Record<string, string> => Object.fromEntries(headers);

function copied(response: Response, body: ReadableStream<Uint8Array>, answer: Capture): Response {
  const copying = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      answer.add(bytesOf(chunk));
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body.pipeThrough(copying), { status, statusText, headers });
}
