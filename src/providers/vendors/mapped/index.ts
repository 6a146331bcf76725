import { bearer, keyIn } from '../../credentials/keys.ts';
import { stabilityKey, stabilitySettings } from '../../credentials/stability-key.ts';
import { endpointsOf } from '../../endpoint.ts';
import { openAiCompatible } from '../../kinds/openai-compatible/index.ts';
import type { Provider } from '../../provider.ts';
import { PATH_PART } from '../../setting.ts';

const triton: Provider = {
  id: 'triton',
  baseUrl: null,
  settings: {},
  sufficientSettings: [[]],
  endpoints: endpointsOf(),
  dialects: { complete: async () => (await import('./completions.ts')).triton },
  nativeApi: { cacheablePaths: [/^\/generate$/], hidesModels: true },
  authorize() {},
};

const nomic: Provider = {
  id: 'nomic',
  baseUrl: 'https://api-atlas.nomic.ai/v1',
  settings: {},
  endpoints: endpointsOf(),
  dialects: { embed: async () => (await import('./embeddings.ts')).nomic },
  nativeApi: { cacheablePaths: [/^\/embedding\/text$/] },
  authorize: bearer,
};

const segmind: Provider = {
  id: 'segmind',
  baseUrl: 'https://api.segmind.com/v1',
  settings: {},
  endpoints: endpointsOf(),
  dialects: { imageGenerate: async () => (await import('./images.ts')).segmind },
  nativeApi: { hidesModels: true },
  authorize: keyIn('x-api-key'),
};

const stabilityAi: Provider = {
  id: 'stability-ai',
  baseUrl: 'https://api.stability.ai',
  settings: stabilitySettings,
  endpoints: endpointsOf(),
  dialects: { imageGenerate: async () => (await import('./images.ts')).stabilityAi },
  nativeApi: { cacheablePaths: [/^\/generation\/[^/]+\/text-to-image$/], hidesModels: true },
  authorize: stabilityKey,
};

const voyage = openAiCompatible({
  id: 'voyage',
  baseUrl: 'https://api.voyageai.com/v1',
  offers: [],
  priceName: 'voyageai',
  nativeApi: {},
  dialects: { embed: async () => (await import('./embeddings.ts')).voyage },
});

/** Chat and embeddings at Cloudflare's OpenAI-compatible paths; the rest at the model's own. */
const workersAi: Provider = {
  ...openAiCompatible({
    id: 'workers-ai',
    baseUrl: ({ workers_ai_account_id: account }) =>
      account === undefined ? null : `https://api.cloudflare.com/client/v4/accounts/${account}/ai`,
    offers: ['chat', 'embeddings'],
    settings: { workers_ai_account_id: { pattern: PATH_PART } },
    dialects: {
      complete: async () => (await import('./completions.ts')).workersAi,
      imageGenerate: async () => (await import('./images.ts')).workersAi,
    },
    pathOf: ({ endpoint, path, basePath }) =>
      endpoint === 'proxy' || basePath.endsWith('/v1') ? path : `/v1${path}`,
  }),
  priceName: 'cloudflare',
  nativeApi: { cacheablePaths: [/^\/run\/@\w+\/[^/]+\/[^/]+$/], hidesModels: true },
  modelScopes: ['@cf', '@hf'],
};

/** Providers of which an endpoint is asked in words of their own. */
export const mappedProviders: readonly Provider[] = [nomic, segmind, stabilityAi, triton, voyage, workersAi];
