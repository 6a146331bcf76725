import { inTime, LateError } from '../../lib/in-time.ts';
import { findProvider, type ProviderHeaders } from '../../providers/index.ts';
import type { EmbeddingSettings } from '../../settings/cache.ts';
import { withHops } from '../call/hops.ts';
import type { HttpUpstream } from '../send/http.ts';
import { InconclusiveError } from './circuit.ts';
import { type Embedding, normalised } from './vector.ts';

/** On whose behalf a question is asked. */
export type Asking = {
  /** Milliseconds that the caller allows; null leaves it to the embedder. */
  patience: number | null;
  /** Gateways that the call came through, this one included. */
  hops: number;
};

export type Embedder = (text: string, asking: Asking) => Promise<Embedding>;

/** Every question of a semantic cache waits for its embedding, so that a slow one costs more than it saves. */
const LIMIT_MS = 1000;

/** Asks a provider for embeddings, in its own dialect where it has one. Rejects when there is no usable answer. */
export function createEmbedder(options: EmbeddingSettings, http: Pick<HttpUpstream, 'fetch'>): Embedder {
  const provider = findProvider(options.provider);
  if (!provider) throw new Error(`There is no provider ${options.provider}.`);
  const { model, apiKey, settings } = options;
  const credential = { key: apiKey, settings };
  const own = typeof provider.baseUrl === 'function' ? provider.baseUrl(settings) : provider.baseUrl;
  const url = options.host ?? own;
  const base =
    url === null ? null : { origin: new URL(url).origin, path: new URL(url).pathname.replace(/\/+$/, '') };

  const hasFixedAddress = options.host === null && typeof provider.baseUrl === 'string';

  async function ask(text: string, hops: number, signal: AbortSignal): Promise<string> {
    const send = hasFixedAddress ? http.fetch : withHops(http.fetch, hops);
    const request = { endpoint: 'embed' as const, method: 'POST', path: '/embeddings', query: '' };
    const body = { model, input: text };
    const dialect = provider?.respond ?? (await provider?.dialects?.embed?.());
    if (dialect) {
      const answer = await dialect({
        ...request,
        body,
        model,
        base,
        credential,
        headers: {},
        metadata: {},
        strict: true,
        fetch: http.fetch,
        ask: send,
        signal,
      });
      if (answer.status !== 200) throw refusal(answer.status);
      return textOf(answer.body);
    }
    if (!provider || !base) throw new Error('The provider of embeddings needs a host.');
    const headers: ProviderHeaders = { 'content-type': 'application/json' };
    const bytes = Buffer.from(JSON.stringify(body));
    const place = { endpoint: request.endpoint, path: request.path, model, settings, basePath: base.path };
    const path = provider.pathOf?.(place) ?? request.path;
    const unsigned = {
      method: 'POST',
      origin: base.origin,
      path: `${base.path}${path}`,
      headers,
      body: bytes,
    };
    await provider.authorize(unsigned, credential, http.fetch);
    const answer = await send(`${unsigned.origin}${unsigned.path}`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: bytes,
      signal,
    });
    if (!answer.ok) throw refusal(answer.status);
    return answer.text();
  }

  return async (text, { patience, hops }) => {
    const isImpatient = patience !== null && patience < LIMIT_MS;
    const stop = new AbortController();
    try {
      const answer = await inTime(ask(text, hops, stop.signal), isImpatient ? patience : LIMIT_MS);
      return embeddingIn(answer);
    } catch (error) {
      if (!isImpatient || !(error instanceof LateError)) throw error;
      throw new InconclusiveError('The caller gives the provider of embeddings less time.', { cause: error });
    } finally {
      stop.abort();
    }
  };
}

function embeddingIn(answer: string): Embedding {
  const { data } = JSON.parse(answer) as { data?: { embedding?: number[] }[] };
  const embedding = normalised(data?.[0]?.embedding ?? []);
  if (!embedding) throw new Error('The provider of embeddings gave none.');
  return embedding;
}

/** A question that is refused, since it is too long for instance, leaves the others alone. */
function refusal(status: number): Error {
  const message = `The provider of embeddings answered ${status}.`;
  return refusingStatuses.has(status) ? new InconclusiveError(message) : new Error(message);
}

const refusingStatuses: ReadonlySet<number> = new Set([400, 413, 422]);

async function textOf(body: Buffer | AsyncIterable<Buffer>): Promise<string> {
  if (Buffer.isBuffer(body)) return body.toString('utf8');
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
