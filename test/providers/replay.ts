import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type DialectAnswer, type DialectRequest, findProvider } from '../../src/providers/index.ts';

/** A provider's recorded answer: a body as it came over the wire. */
export type Recording = { status: number; type: string; body: Buffer; headers?: Record<string, string> };

const folder = new URL('fixtures/', import.meta.url);

export const fixture = (path: string): Buffer => readFileSync(new URL(path, folder));

/** `path` is below `fixtures/`; its ending says how it is sent. */
export function recording(path: string, status = 200, headers: Record<string, string> = {}): Recording {
  const bytes = fixture(path);
  if (path.endsWith('.events.json'))
    return { status, headers, type: 'application/vnd.amazon.eventstream', body: eventFrames(bytes) };
  const type = path.endsWith('.sse') ? 'text/event-stream' : 'application/json';
  return { status, headers, type, body: bytes };
}

/** Amazon's binary event stream out of pairs of an event's type and payload; `exception:` marks an exception. */
export function eventFrames(pairs: Buffer): Buffer {
  return Buffer.concat(
    (JSON.parse(pairs.toString()) as [string, object][]).map(([name, payload]) => {
      const exception = name.startsWith('exception:') ? name.slice('exception:'.length) : null;
      const headers = Buffer.concat([
        exception ? header(':exception-type', exception) : header(':event-type', name),
        header(':content-type', 'application/json'),
        header(':message-type', exception ? 'exception' : 'event'),
      ]);
      return eventFrame(headers, Buffer.from(JSON.stringify(payload)));
    }),
  );
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(3);
  length.writeUInt8(7);
  length.writeUInt16BE(Buffer.byteLength(value), 1);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, Buffer.from(value)]);
}

function eventFrame(headers: Buffer, payload: Buffer): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(headers.length + payload.length + 16);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, payload]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

export type Sent = { url: string; headers: Record<string, string>; body: any };

/** What a provider's dialect makes of a recording; `cutAt` gives it the body in two pieces. */
export async function ask(
  provider: string,
  recorded: Recording,
  {
    endpoint = 'chatComplete',
    path = '/chat/completions',
    query = '',
    cutAt,
    sent,
    ...request
  }: Partial<DialectRequest> & { cutAt?: number; sent?: Sent[] } = {},
): Promise<DialectAnswer> {
  const dialect = await findProvider(provider)?.dialects?.[endpoint]?.();
  if (!dialect) throw new Error(`${provider} has no ${endpoint}.`);
  const { body } = recorded;
  const pieces = cutAt === undefined ? [body] : [body.subarray(0, cutAt), body.subarray(cutAt)];
  const ask =
    request.fetch ??
    ((async (url: string, init: RequestInit) => {
      const text = init.body ? Buffer.from(init.body as Uint8Array).toString() : 'null';
      sent?.push({
        url,
        headers: Object.fromEntries(init.headers as [string, string][]),
        body: JSON.parse(text),
      });
      return new Response(ReadableStream.from(pieces.filter(({ length }) => length > 0)) as never, {
        status: recorded.status,
        headers: { 'content-type': recorded.type, ...recorded.headers },
      });
    }) as typeof fetch);
  return dialect({
    endpoint,
    path,
    query,
    method: 'POST',
    body: { messages: [{ role: 'user', content: 'hi' }] },
    model: 'some-model',
    base: { origin: 'http://provider.test', path: '/v1' },
    credential: { key: 'the-key-of-the-provider', settings: {} },
    headers: {},
    metadata: {},
    strict: false,
    signal: new AbortController().signal,
    fetch: ask,
    ask,
    ...request,
  });
}

/** An answer's bytes, and why it broke off when it did. */
export async function bytesOf({ body }: DialectAnswer): Promise<{ text: string; broken: unknown }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) chunks.push(chunk);
  } catch (broken) {
    return { text: Buffer.concat(chunks).toString(), broken };
  }
  return { text: Buffer.concat(chunks).toString(), broken: null };
}

/** What a chat completion says, whole or in chunks: the same for both. */
export function saidBy(text: string) {
  if (text.startsWith('{')) return wholeSays(JSON.parse(text));
  const frames = text.split('\n\n').filter((frame) => frame !== '');
  const done = frames.at(-1) === 'data: [DONE]';
  const values = frames
    .slice(0, done ? -1 : undefined)
    .map((frame) => JSON.parse(frame.slice('data: '.length)));
  return { ...chunksSay(values), done };
}

function wholeSays(answer: any) {
  const choice = answer.choices?.[0];
  const blocks: any[] = choice?.message.content_blocks ?? [];
  return {
    id: answer.id,
    model: answer.model,
    text: choice?.message.content ?? '',
    blocks,
    calls: (choice?.message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }: any) => ({
      id,
      name,
      arguments: JSON.parse(args),
    })),
    finish: choice?.finish_reason,
    native: choice?.native_finish_reason,
    usage: answer.usage,
    error: answer.error,
    done: true,
  };
}

function chunksSay(values: any[]) {
  const calls: any[] = [];
  const blocks: any[] = [];
  const said: any = { id: values[0]?.id, model: values[0]?.model, text: '' };
  for (const { choices = [], usage, error } of values) {
    if (usage) said.usage = usage;
    if (error) said.error = error;
    for (const { delta, finish_reason: finish, native_finish_reason: native } of choices) {
      said.text += delta.content ?? '';
      if (finish) Object.assign(said, { finish, native });
      for (const { index, id, function: called } of delta.tool_calls ?? []) {
        calls[index] ??= { id, name: called.name, arguments: '' };
        calls[index].arguments += called.arguments;
      }
      for (const { index, delta: block } of delta.content_blocks ?? []) addTo(blocks, index, block);
    }
  }
  return {
    ...said,
    blocks: blocks.filter((block) => block !== undefined),
    calls: calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) })),
  };
}

function addTo(blocks: any[], index: number, block: any): void {
  const kind = block.type ?? ('text' in block ? 'text' : 'thinking');
  blocks[index] ??= { type: kind };
  for (const [name, value] of Object.entries(block)) {
    if (name !== 'type') blocks[index][name] = (blocks[index][name] ?? '') + value;
  }
}
