import type { Dialect, DialectAnswer } from '../../provider.ts';
import { passedOn } from '../ai-sdk/answer/headers.ts';
import { refusalOf } from '../ai-sdk/answer/refusal.ts';
import { type DialectCall, dialectOf, type SdkProvider } from '../ai-sdk/dialect.ts';
import type { Fields } from '../ai-sdk/fields.ts';

/** Where a cloud that hosts Claude takes Anthropic's own format, and how it streams the answer. */
export type Hosting = {
  url(call: DialectCall, isStreamed: boolean): string;
  /** Members that the cloud wants beside the caller's. */
  members(call: DialectCall): Fields;
  /** The events of a stream as Anthropic itself would send them. */
  events(body: AsyncIterable<Uint8Array>): AsyncIterable<Buffer>;
};

/**
 * Anthropic's messages at a cloud that hosts Claude: the model and `stream` move from the body into the path, and all else
 * goes as it is.
 */
export const hostedMessages = (vendor: Pick<SdkProvider, 'id' | 'authorize'>, hosting: Hosting): Dialect => {
  const ask = dialectOf(vendor, (call) => send(call, hosting));
  return async (request) => asAnthropicsError(await ask(request));
};

async function send(call: DialectCall, hosting: Hosting): Promise<DialectAnswer> {
  const { connection, request, headers } = call;
  const { model: _model, stream, ...body } = call.body;
  const url = hosting.url(call, stream === true);
  const answer = await connection.fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, ...hosting.members(call) }),
    signal: request.signal,
  });
  if (!answer.ok) throw await refusalOf(answer, url);
  const bytes = answer.body ?? [];
  const type = stream === true ? 'text/event-stream; charset=utf-8' : 'application/json';
  return {
    status: answer.status,
    headers: { ...passedOn(Object.fromEntries(answer.headers)), 'content-type': type },
    body:
      stream === true
        ? hosting.events(bytes as AsyncIterable<Uint8Array>)
        : buffers(bytes as AsyncIterable<Uint8Array>),
  };
}

/** Bytes as they come. */
export async function* buffers(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** The mark by which Anthropic's clients know an error. */
function asAnthropicsError(answer: DialectAnswer): DialectAnswer {
  if (answer.status < 400 || !Buffer.isBuffer(answer.body)) return answer;
  const body = Buffer.from(JSON.stringify({ type: 'error', ...JSON.parse(answer.body.toString()) }));
  return { ...answer, headers: { ...answer.headers, 'content-length': String(body.length) }, body };
}
