import type { Send, UpstreamFailure, UpstreamHeaders, UpstreamSink } from '../../dataplane/send/upstream.ts';
import { createEventReader, type EventReader, EventTooLargeError } from '../../lib/event-stream/index.ts';
import { grownCache } from '../../lib/grown-cache.ts';
import type { HostPolicy } from '../../lib/http/custom-host.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { Pieces } from '../../lib/pieces.ts';
import { notMcp, problemOf, statusProblem, tooLarge, UpstreamProblem } from './problem.ts';
import { MAX_EVENT, MAX_RESULT } from './transport.ts';

/** One HTTP request to an MCP server. */
export type WireRequest = {
  method: 'POST' | 'GET' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | null;
};

/** Takes what an MCP server answers, message by message. `end` is called exactly once, last. */
export type UpstreamHearer = {
  /** The request has a connection. */
  connected?(): void;
  head(status: number, headers: UpstreamHeaders): void;
  /**
   * `text`: as the server wrote it; `eventId`: of the event that brought it; `isLast`: the answer has nothing else. `false` asks to
   * pause until `resume`.
   */
  message(value: JsonObject, text: string, eventId: string | null, isLast: boolean): boolean;
  /** An event without data, by whose id the stream can be taken up again from its beginning. */
  primed?(eventId: string): void;
  /** Milliseconds after which the server wants a stream to be taken up again. */
  retry?(milliseconds: number): void;
  /** The answer is over; a problem where it is none that can be used. */
  end(problem: UpstreamProblem | null): void;
};

export type WireControl = {
  resume(): void;
  /** Nothing is wanted any more; `end` is still called. */
  abort(): void;
};

/** Sends requests to MCP servers and reads their answers while they come. */
export type UpstreamWire = (request: WireRequest, hearer: UpstreamHearer) => WireControl;

const NOTHING: WireControl = { resume: () => undefined, abort: () => undefined };

/** Where an address leads, once it was judged. */
type Place = { origin: string; path: string; isRefused: boolean };

/** Addresses that a process remembers; what is allowed does not change while it runs. */
const REMEMBERED = 5000;

/** Every address is judged before a request goes there, and by the connection again. */
export function createUpstreamWire(send: Send, policy: Pick<HostPolicy, 'problem'>): UpstreamWire {
  const places = grownCache<Place>(REMEMBERED);

  function placeOf(url: string): Place {
    let place = places.get(url);
    if (place === undefined) {
      const { origin, pathname, search } = new URL(url);
      place = { origin, path: pathname + search, isRefused: policy.problem(url) !== null };
      places.set(url, place);
    }
    return place;
  }

  return ({ method, url, headers, body }, hearer) => {
    const { origin, path, isRefused } = placeOf(url);
    if (isRefused) {
      hearer.end(new UpstreamProblem('address', 'address not allowed'));
      return NOTHING;
    }
    const accept = method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream';
    const request = {
      origin,
      path,
      method,
      headers:
        body === null ? { ...headers, accept } : { ...headers, accept, 'content-type': 'application/json' },
      body: typeof body === 'string' ? Buffer.from(body) : body,
    };
    const control = send(request, new Hearing(hearer, () => control.abort('aborted')));
    return { resume: control.resume.bind(control), abort: () => control.abort('aborted') };
  };
}

/** Makes messages out of the bytes of one answer. */
class Hearing implements UpstreamSink {
  readonly #hearer: UpstreamHearer;
  readonly #giveUp: () => void;
  #status = 0;
  #events: EventReader | null = null;
  #text: Pieces | null = null;
  #isFull = false;
  #isOver = false;

  constructor(hearer: UpstreamHearer, giveUp: () => void) {
    this.#hearer = hearer;
    this.#giveUp = giveUp;
  }

  connected(): void {
    this.#hearer.connected?.();
  }

  head(status: number, headers: UpstreamHeaders): boolean {
    this.#status = status;
    this.#hearer.head(status, headers);
    const type = String(headers['content-type'] ?? '').toLowerCase();
    if (type.startsWith('text/event-stream') && status < 300)
      this.#events = createEventReader(
        ({ name, data, id }) => this.#event(name, data, id),
        MAX_EVENT,
        (milliseconds) => this.#hearer.retry?.(milliseconds),
      );
    else if (type.startsWith('application/json')) this.#text = new Pieces();
    return true;
  }

  data(chunk: Buffer): boolean {
    if (this.#isOver) return true;
    try {
      this.#isFull = false;
      this.#events?.feed(chunk);
      this.#text?.add(chunk);
      if (this.#text && this.#text.size > MAX_RESULT) throw tooLarge();
      return !this.#isFull;
    } catch (error) {
      this.#end(error instanceof EventTooLargeError ? tooLarge() : problemOf(error));
      this.#giveUp();
      return true;
    }
  }

  #event(name: string | null, data: string, id: string | null): void {
    if (data === '' && id) this.#hearer.primed?.(id);
    if (data === '' || (name !== null && name !== 'message')) return;
    const value = parsed(data);
    if (!isObject(value)) throw notMcp(this.#status);
    this.#isFull = !this.#hearer.message(value, data, id, false) || this.#isFull;
  }

  end(): void {
    if (!this.#isOver) this.#end(this.#problemAtEnd());
  }

  #problemAtEnd(): UpstreamProblem | null {
    const isError = this.#status >= 300;
    if (this.#text === null || this.#text.size === 0) return isError ? statusProblem(this.#status) : null;
    const text = this.#text.joined().toString('utf8');
    const value = parsed(text);
    if (!isObject(value)) return isError ? statusProblem(this.#status) : notMcp(this.#status);
    this.#hearer.message(value, text, null, true);
    return null;
  }

  fail(failure: UpstreamFailure, cause: Error): void {
    const fault = failure === 'timeout' || failure === 'aborted' ? 'timeout' : null;
    this.#end(fault ? new UpstreamProblem(fault, fault, { cause }) : problemOf(cause));
  }

  #end(problem: UpstreamProblem | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hearer.end(problem);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is no message.
    return undefined;
  }
}
