import type { Readable } from 'node:stream';

export type UpstreamHeaders = Record<string, string | string[]>;

export type UpstreamRequest = {
  /** Null for a provider in this process. */
  origin: string | null;
  /** Path and query at the origin. */
  path: string;
  method: string;
  headers: UpstreamHeaders;
  body: Buffer | Readable | null;
  /** It can be sent a second time without harm, should it be lost on a connection that the provider was closing. */
  mayRepeat?: boolean;
};

/** Why there is no complete answer. */
export type UpstreamFailure = 'timeout' | 'connect' | 'unreadable' | 'transport' | 'aborted';

/** Takes an answer as it comes. Exactly one of `end` and `fail` is called, last. */
export type UpstreamSink = {
  /** The request has a connection. */
  connected?(): void;
  /** The first bytes of an answer are here, but its head is held back for now. */
  opening?(): void;
  /** The status line and headers; `false` asks for no body, the connection may be dropped or drained. */
  head(status: number, headers: UpstreamHeaders): boolean;
  /** A piece of the body; `false` asks to pause until `resume` is called. */
  data(chunk: Buffer): boolean;
  /** `trailers`: fields that came behind the body. */
  end(trailers?: UpstreamHeaders): void;
  /** `lastWords`: what tells the caller, in its own format, that a stream which had begun broke off. */
  fail(failure: UpstreamFailure, cause: Error, lastWords?: Buffer): void;
};

export type UpstreamControl = { resume(): void; abort(reason: UpstreamFailure): void };

/** Sends a request and feeds the answer to the sink. */
export type Send = (request: UpstreamRequest, sink: UpstreamSink) => UpstreamControl;
