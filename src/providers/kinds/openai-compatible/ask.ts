import type { DialectRequest, Provider } from '../../provider.ts';

/** What a provider answered to one of several requests that make one answer. */
export type UpstreamAnswer = { status: number; headers: Record<string, string>; body: AsyncIterable<Buffer> };

// They describe one connection or bytes that have been decoded since.
const dropped = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
]);

/** How a provider is addressed. */
export type Manner = Pick<Provider, 'authorize' | 'pathOf'>;

/** A request's body and its type. */
export type Content = { type: string; bytes: Buffer };

/** Sends a request in the provider's name; `path` is the gateway's, without the query. */
export async function ask(
  { endpoint, method, model, base, credential, headers, fetch, ask: send, signal }: DialectRequest,
  path: string,
  query: string,
  { authorize, pathOf }: Manner,
  content: Content | null = null,
): Promise<UpstreamAnswer> {
  if (base === null) throw new Error('A provider over HTTP has an address.');
  const { settings } = credential;
  const own = pathOf?.({ endpoint, path, model, settings, basePath: base.path }) ?? path;
  const request = {
    method,
    origin: base.origin,
    path: base.path + own + (query && `${own.includes('?') ? '&' : '?'}${query}`),
    headers: { ...headers, ...(content && { 'content-type': content.type, accept: 'application/json' }) },
    body: content?.bytes ?? null,
  };
  await authorize(request, credential, fetch);
  const answer = await send(request.origin + request.path, {
    method,
    headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    body: request.body,
    signal,
  });
  return {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !dropped.has(name))),
    body: chunksOf(answer.body),
  };
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncIterable<Buffer> {
  for await (const chunk of body ?? []) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** A whole body, when it has no more than `limit` bytes; rejects for more. */
export async function whole({ body }: Pick<UpstreamAnswer, 'body'>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new Error(`The provider's answer is larger than ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const isSuccess = ({ status }: Pick<UpstreamAnswer, 'status'>): boolean =>
  status >= 200 && status < 300;

export function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // What is no JSON goes to the caller as it came.
    return undefined;
  }
}
