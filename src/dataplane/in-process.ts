import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { leaveCounted } from './call/counted.ts';
import { leaveUnguarded } from './call/unguarded.ts';
import type { Dataplane } from './index.ts';

/** A call of the data plane that comes from this process. */
export type InProcessCall = {
  /** As a caller would send them, credential included. */
  headers: IncomingHttpHeaders;
  /** Below `/v1`, e.g. `/chat/completions`. */
  path: string;
  body: Buffer;
  /** Comes under no guardrails: it is a check of one that asks. */
  isUnguarded?: boolean;
  /** The request on whose behalf it is made was counted by the rates of calls already. */
  isCounted?: boolean;
};

export type InProcessAnswer = {
  status: number;
  headers: OutgoingHttpHeaders;
  /** Throws where the answer breaks off. */
  body: AsyncIterable<Buffer>;
};

/**
 * Has the data plane answer a call without a connection: with config, limits, cost and log as over HTTP. `signal` hangs up.
 * Rejects when it is aborted before the answer begins.
 */
export function askInProcess(
  dataplane: Dataplane,
  call: InProcessCall,
  signal: AbortSignal,
): Promise<InProcessAnswer> {
  return new Promise((resolve, reject) => {
    const request = new LocalRequest(call);
    if (call.isUnguarded) leaveUnguarded(request);
    if (call.isCounted) leaveCounted(request);
    const response = new LocalResponse(request, resolve);
    const hangUp = () => response.destroy();
    response.once('close', () => {
      signal.removeEventListener('abort', hangUp);
      // An error takes long to make.
      if (!response.headersSent) reject(new Error('The call was given up before it was answered.'));
    });
    response.on('error', () => undefined);
    signal.addEventListener('abort', hangUp, { once: true });
    if (signal.aborted) hangUp();
    else
      void dataplane.handle(
        request as unknown as IncomingMessage,
        response as unknown as ServerResponse,
        call.path,
        '',
      );
  });
}

/** What the data plane reads of a request. */
class LocalRequest extends Readable {
  readonly method = 'POST';
  readonly httpVersion = '1.1';
  readonly rawHeaders: string[] = [];
  /** No address: nobody waits for the answer to a wrong credential. */
  readonly socket = {};
  readonly complete = true;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;

  constructor({ headers, path, body }: InProcessCall) {
    super({ read: () => undefined });
    this.url = `/v1${path}`;
    this.headers = {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    this.push(body);
    this.push(null);
  }
}

/** What the data plane writes of an answer, as a stream that can be read. */
class LocalResponse extends PassThrough {
  readonly req: LocalRequest;
  headersSent = false;
  readonly #set: OutgoingHttpHeaders = {};
  readonly #answer: (answer: InProcessAnswer) => void;

  constructor(request: LocalRequest, answer: (answer: InProcessAnswer) => void) {
    super();
    this.req = request;
    this.#answer = answer;
  }

  setHeader(name: string, value: string): this {
    this.#set[name.toLowerCase()] = value;
    return this;
  }

  getHeader(name: string): OutgoingHttpHeaders[string] {
    return this.#set[name.toLowerCase()];
  }

  writeHead(status: number, given: OutgoingHttpHeaders | string[] = {}): this {
    this.headersSent = true;
    this.#answer({ status, headers: { ...this.#set, ...headersOf(given) }, body: this });
    return this;
  }

  flushHeaders(): void {}

  /** Nobody here reads what stands behind a body. */
  addTrailers(): void {}
}

/** Headers as an object; the data plane also gives them as a flat list of names and values. */
function headersOf(given: OutgoingHttpHeaders | string[]): OutgoingHttpHeaders {
  if (!Array.isArray(given)) return given;
  const headers: OutgoingHttpHeaders = {};
  for (let at = 0; at + 1 < given.length; at += 2) headers[given[at]?.toLowerCase() ?? ''] = given[at + 1];
  return headers;
}
