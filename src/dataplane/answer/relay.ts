import type { ServerResponse } from 'node:http';
import { connectionNames, hopByHop } from '../call/hop-by-hop.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';

const NOTHING = Buffer.alloc(0);
/** Bytes of a body that Node writes together with the head. */
const ONE_BUFFER = 8 * 1024;

/** Event streams that are open at this moment. */
export type OpenStreams = { count: number };

/** Writes one answer to the caller as it arrives from the provider. */
export class Relay {
  readonly #response: ServerResponse;
  readonly #streams: OpenStreams;
  /** Length that the provider announced, when it did. */
  #announced: number | null = null;

  constructor(response: ServerResponse, streams: OpenStreams) {
    this.#response = response;
    this.#streams = streams;
  }

  /** False where the caller asked for the head alone. */
  get wantsBody(): boolean {
    return this.#response.req.method !== 'HEAD';
  }

  /** `body`: whether what follows is the provider's own, as long as it announced. */
  start(
    status: number,
    headers: UpstreamHeaders,
    gatewayHeaders: Record<string, string>,
    body: 'same' | 'changed' = 'same',
  ): void {
    const outgoing = outgoingHeaders(headers, gatewayHeaders, body === 'same' ? null : lengthHeaders);
    const length = headers['content-length'];
    this.#announced = body === 'same' && typeof length === 'string' ? Number(length) : null;
    if (this.#announced === null && headers.trailer !== undefined && this.#takesTrailers(status))
      outgoing.push('trailer', String(headers.trailer));
    if (isEventStream(headers)) {
      this.#countStream();
      // Proxies in front of the gateway must not hold frames back.
      if (!('x-accel-buffering' in headers)) outgoing.push('x-accel-buffering', 'no');
    }
    this.#writeHead(status, outgoing);
    // The first bytes may be minutes away; the caller should know by then that the provider answered.
    // Not `flushHeaders`, which would write header bytes beyond ASCII as UTF-8 once more.
    if (this.#announced === null) this.#response.write(NOTHING);
  }

  /** What has no pieces has no end that they could stand behind. */
  #takesTrailers(status: number): boolean {
    return this.wantsBody && this.#response.req.httpVersion === '1.1' && status !== 204 && status !== 304;
  }

  #writeHead(status: number, outgoing: string[]): void {
    const vary = this.#response.getHeader('vary');
    // Beside what the provider's answer varies by, which would take its place.
    if (vary !== undefined) outgoing.push('vary', String(vary));
    this.#response.writeHead(status, outgoing);
  }

  #countStream(): void {
    const streams = this.#streams;
    streams.count++;
    this.#response.once('close', () => streams.count--);
  }

  /** A whole answer in the gateway's words, with what the provider said beside its body. */
  answer(
    status: number,
    headers: UpstreamHeaders,
    gatewayHeaders: Record<string, string>,
    json: string,
  ): void {
    const outgoing = outgoingHeaders(headers, gatewayHeaders, bodyHeaders);
    outgoing.push('content-type', 'application/json', 'content-length', String(Buffer.byteLength(json)));
    this.#writeHead(status, outgoing);
    this.#response.end(json);
  }

  /** False when the caller reads more slowly than the provider sends; `onDrain` tells when to go on. */
  write(chunk: Buffer): boolean {
    // The whole body in one piece. As text of one byte a character a short one leaves in one buffer with the head: two
    // buffers cost the kernel a slower call.
    if (this.#announced === chunk.length) {
      if (chunk.length <= ONE_BUFFER) this.#response.end(chunk.toString('latin1'), 'latin1');
      else this.#response.end(chunk);
      return true;
    }
    return this.#response.write(chunk);
  }

  /** Fields behind the body, which Node leaves out where the answer has a length. */
  addTrailers(trailers: UpstreamHeaders): void {
    const passed: [string, string][] = [];
    for (const name in trailers) {
      if (notPassed.has(name) || name.startsWith('x-gateway-')) continue;
      for (const value of [trailers[name]].flat()) if (value !== undefined) passed.push([name, value]);
    }
    if (passed.length > 0) this.#response.addTrailers(passed);
  }

  onDrain(listener: () => void): void {
    this.#response.once('drain', listener);
  }

  /** `last`: what the caller gets before the end; null for nothing more. */
  end(last: Buffer | string | null): void {
    if (this.#response.writableEnded) return;
    if (last === null) this.#response.end();
    else this.#response.end(last);
  }

  /** The provider broke off: the caller must see a broken answer, not a short one that looks complete. */
  breakOff(): void {
    this.#response.destroy();
  }
}

// A provider's word on which pages may read its answers says nothing about the gateway's.
const notPassed = new Set([
  ...hopByHop,
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-expose-headers',
  'access-control-max-age',
]);

// Say nothing true of another body than the provider's. A client that followed a redirect would take its gateway key along.
const lengthHeaders = new Set(['content-length']);
const bodyHeaders = new Set([
  'content-length',
  'content-type',
  'content-language',
  'content-disposition',
  'etag',
  'last-modified',
  'location',
  'x-accel-buffering',
]);

/** A flat list of names and values is what Node writes out fastest. */
function outgoingHeaders(
  headers: UpstreamHeaders,
  gatewayHeaders: Record<string, string>,
  without: ReadonlySet<string> | null,
): string[] {
  const outgoing: string[] = [];
  const named = connectionNames(headers.connection);
  for (const name in headers) {
    if (notPassed.has(name) || named?.has(name) || without?.has(name)) continue;
    const value = headers[name];
    if (name in gatewayHeaders || value === undefined) continue;
    if (typeof value === 'string') outgoing.push(name, value);
    else for (const item of value) outgoing.push(name, item);
  }
  for (const name in gatewayHeaders) outgoing.push(name, gatewayHeaders[name] as string);
  return outgoing;
}

export const isEventStream = (headers: UpstreamHeaders): boolean =>
  /^\s*text\/event-stream/i.test(String(headers['content-type'] ?? ''));
