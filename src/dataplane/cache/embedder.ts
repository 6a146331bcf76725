import { findProvider, type ProviderHeaders } from '../../providers/index.ts';
import type { EmbeddingSettings } from '../../settings.ts';
import type { HttpUpstream } from '../upstream/http.ts';
import { type Embedding, normalised } from './vector.ts';

export type Embedder = (text: string) => Promise<Embedding>;

const TIMEOUT = 5000;

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

  async function ask(text: string, signal: AbortSignal): Promise<string> {
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
        ask: http.fetch,
        signal,
      });
      if (answer.status !== 200) throw new Error(`The provider of embeddings answered ${answer.status}.`);
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
    const answer = await http.fetch(`${unsigned.origin}${unsigned.path}`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: bytes,
      signal,
    });
    if (!answer.ok) throw new Error(`The provider of embeddings answered ${answer.status}.`);
    return answer.text();
  }

  return async (text) => {
    const answer = JSON.parse(await ask(text, AbortSignal.timeout(TIMEOUT))) as {
      data?: { embedding?: number[] }[];
    };
    const embedding = normalised(answer.data?.[0]?.embedding ?? []);
    if (!embedding) throw new Error('The provider of embeddings gave none.');
    return embedding;
  };
}

async function textOf(body: Buffer | AsyncIterable<Buffer>): Promise<string> {
  if (Buffer.isBuffer(body)) return body.toString('utf8');
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
