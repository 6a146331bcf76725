import type { Principal } from '../../src/auth/index.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import { answerJson } from './answer.ts';
import { readBytes, readJsonBody } from './body.ts';
import { eventHeaders, frameOf, type ServerEvent, writeErrorEvent } from './events.ts';
import { type Range, rangeOf } from './range.ts';
import type { Parameters, RestRequest } from './route.ts';
import { streamAnswer } from './stream-answer.ts';

export type FileFacts = {
  /** Media type, e.g. `application/jsonl`. */
  type: string;
  /** The name under which the caller's program would save it. */
  name: string;
  /** In bytes; a content of another length breaks the answer off. */
  length?: number;
  /** True where a part of it may be asked for by `Range`. */
  takesRange?: boolean;
};

/** One request and its answer, as an endpoint that is written by hand sees them. */
export type RestConversation = {
  context: GraphContext;
  /** Null on a public path. */
  principal: Principal | null;
  parameters: Parameters;
  query: Record<string, string | undefined>;
  /** Aborted when the caller leaves before the answer is complete. */
  signal: AbortSignal;
  /** The body as JSON, bounded as everywhere unless told otherwise; undefined when there is none. */
  readJson(maxBytes?: number): Promise<unknown>;
  /** The body as it comes; throws BODY_TOO_LARGE once it is longer than `maxBytes`. */
  readBytes(maxBytes: number): AsyncIterable<Buffer>;
  sendJson(value: unknown, status?: number): void;
  /**
   * Answers server-sent events as fast as the caller takes them, and ends their iterator when the caller leaves. An
   * error on the way becomes an `error` event, after which the connection breaks, so that nobody takes the part for the
   * whole.
   */
  sendEvents(events: AsyncIterable<ServerEvent>, headers?: Record<string, string>): Promise<void>;
  /** Answers bytes as a download; a HEAD opens nothing. `open` is asked for a part where the caller wants one. */
  sendFile(open: (range?: Range) => AsyncIterable<Uint8Array>, facts: FileFacts): Promise<void>;
};

export function createConversation(
  call: RestRequest,
  principal: Principal | null,
  query: Record<string, string>,
): RestConversation {
  const { request, response, context, parameters } = call;
  const leaving = new AbortController();
  const leave = { signal: leaving.signal, log: context.log };
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort();
  });
  // What is left of a body that was not read to its end would be taken for the next request.
  const headers = (): Record<string, string> => ({
    'x-request-id': context.request.id,
    ...(!request.complete && { connection: 'close' }),
  });
  return {
    context,
    principal,
    parameters,
    query,
    signal: leave.signal,
    readJson: (maxBytes) => readJsonBody(call, maxBytes),
    readBytes: (maxBytes) => readBytes(request, maxBytes),
    sendJson: (value, status = 200) =>
      answerJson(request, response, status, JSON.stringify(value), headers()),
    async sendEvents(events, more = {}) {
      response.writeHead(200, { ...eventHeaders, ...more, ...headers() });
      response.flushHeaders();
      try {
        if (request.method !== 'HEAD') await streamAnswer(events, response, frameOf, leave);
      } catch (error) {
        if (!leave.signal.aborted) await writeErrorEvent(response, error);
        throw error;
      }
      response.end();
    },
    async sendFile(open, facts) {
      const { length, takesRange = false } = facts;
      const range = takesRange && length !== undefined ? rangeOf(request.headers.range, length) : null;
      const sent = range ? range.end - range.start + 1 : length;
      response.writeHead(range ? 206 : 200, {
        ...headersOf({ ...facts, length: sent }),
        ...(takesRange && { 'accept-ranges': 'bytes' }),
        ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${length}` }),
        ...headers(),
      });
      if (request.method !== 'HEAD') await pumpFile(open(range ?? undefined), sent);
      response.end();
    },
  };

  async function pumpFile(content: AsyncIterable<Uint8Array>, length: number | undefined) {
    let sent = 0;
    const count = (chunk: Uint8Array) => {
      sent += chunk.length;
      // More would be read as the next answer of the connection.
      if (length !== undefined && sent > length) throw new Error(`A file of ${length} bytes has more.`);
      return chunk;
    };
    await streamAnswer(content, response, count, leave);
    if (!leave.signal.aborted && length !== undefined && sent < length) {
      throw new Error(`A file of ${length} bytes had ${sent}.`);
    }
  }
}

function headersOf({ type, name, length }: FileFacts): Record<string, string | number> {
  return {
    'content-type': type,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, percentEncoded)}`,
    'cache-control': 'no-store',
    // What somebody uploaded must not run as a page of ours.
    'x-content-type-options': 'nosniff',
    ...(length !== undefined && { 'content-length': length }),
  };
}

const percentEncoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
