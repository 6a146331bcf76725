import { bearer } from '../credentials/keys.ts';
import { allOffers } from '../endpoint.ts';
import { openAiOffers, type Vendor } from '../kinds/openai-compatible/index.ts';
import type { Provider } from '../provider.ts';

/** Fireworks manages an account beside the path of its models. */
const manageFireworks: Provider['authorize'] = (request, credential, fetch) => {
  request.path = request.path.replace(/^\/inference(?=\/v1\/accounts\/)/, '');
  return bearer(request, credential, fetch);
};

/** Providers whose API has OpenAI's format and OpenAI's paths. All but one take a bearer key and nothing else. */
export const plainVendors: readonly Vendor[] = [
  {
    id: 'openai',
    priceName: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    offers: openAiOffers,
    settings: {
      openai_organization: { byRequest: true },
      openai_project: { byRequest: true },
      openai_beta: { byRequest: true },
    },
    settingHeaders: {
      openai_organization: 'openai-organization',
      openai_project: 'openai-project',
      openai_beta: 'openai-beta',
    },
  },
  { id: '302ai', baseUrl: 'https://api.302.ai/v1', offers: ['chat'] },
  { id: 'aibadgr', baseUrl: 'https://aibadgr.com/api/v1', offers: ['chat'] },
  // AI21 has shut down its completions and embeddings.
  { id: 'ai21', baseUrl: 'https://api.ai21.com/studio/v1', offers: ['chat'], streamUsage: false },
  {
    id: 'anyscale',
    baseUrl: 'https://api.endpoints.anyscale.com/v1',
    offers: ['chat', 'completions', 'embeddings'],
  },
  { id: 'cerebras', baseUrl: 'https://api.cerebras.ai/v1', offers: ['chat'], priceName: 'cerebras' },
  { id: 'cometapi', baseUrl: 'https://api.cometapi.com/v1', offers: ['chat', 'embeddings'] },
  {
    id: 'dashscope',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    offers: ['chat', 'embeddings'],
  },
  { id: 'deepbricks', baseUrl: 'https://api.deepbricks.ai/v1', offers: ['chat', 'images'] },
  { id: 'deepinfra', baseUrl: 'https://api.deepinfra.com/v1/openai', offers: ['chat'] },
  { id: 'deepseek', baseUrl: 'https://api.deepseek.com/v1', offers: ['chat'], priceName: 'deepseek' },
  { id: 'featherless-ai', baseUrl: 'https://api.featherless.ai/v1', offers: ['chat', 'completions'] },
  {
    // Data sets and tuning jobs have a format of their own there, below an account's path.
    id: 'fireworks-ai',
    priceName: 'fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    offers: ['chat', 'completions', 'embeddings', 'images'],
    authorize: manageFireworks,
  },
  { id: 'github', baseUrl: 'https://models.inference.ai.azure.com', offers: ['chat', 'embeddings'] },
  {
    id: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    offers: ['chat', 'speech', 'transcriptions', 'translations', 'responses'],
    priceName: 'groq',
  },
  { id: 'hyperbolic', baseUrl: 'https://api.hyperbolic.xyz/v1', offers: ['chat', 'images'] },
  { id: 'inference-net', baseUrl: 'https://api.inference.net/v1', offers: ['chat'] },
  {
    id: 'iointelligence',
    baseUrl: 'https://api.intelligence.io.solutions/api/v1',
    offers: ['chat', 'embeddings', 'responses'],
  },
  { id: 'jina', baseUrl: 'https://api.jina.ai/v1', offers: ['embeddings'] },
  { id: 'kluster-ai', baseUrl: 'https://api.kluster.ai/v1', offers: ['chat', 'embeddings', 'files'] },
  { id: 'krutrim', baseUrl: 'https://cloud.olakrutrim.com/v1', offers: ['chat'] },
  { id: 'lambda', baseUrl: 'https://api.lambdalabs.com/v1', offers: ['chat', 'completions'] },
  { id: 'lemonfox-ai', baseUrl: 'https://api.lemonfox.ai/v1', offers: ['chat', 'images', 'transcriptions'] },
  {
    id: 'lepton',
    baseUrl: 'https://api.lepton.ai/api/v1',
    offers: ['chat', 'completions', 'transcriptions'],
  },
  { id: 'lingyi', baseUrl: 'https://api.lingyiwanwu.com/v1', offers: ['chat'] },
  { id: 'matterai', baseUrl: 'https://api.matterai.so/v1', offers: ['chat'] },
  // Sends the token counts with the last chunk, asked or not.
  {
    id: 'mistral-ai',
    priceName: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    offers: ['chat', 'embeddings'],
    streamUsage: false,
    settings: { mistral_fim_completion: { byRequest: true, pattern: /^(?:true|false)$/ } },
    nativeApi: { cacheablePaths: [/^\/fim\/completions$/] },
    // Filling in the middle takes `prompt` and `suffix`.
    pathOf: ({ endpoint, path, settings }) =>
      endpoint === 'chatComplete' && settings.mistral_fim_completion === 'true' ? '/fim/completions' : path,
  },
  {
    id: 'modal',
    priceName: 'modal',
    baseUrl: 'https://api.modal.com/v1',
    offers: ['chat', 'completions'],
    callerHeaders: ['modal-key', 'modal-secret', 'model-key', 'model-secret'],
  },
  { id: 'monsterapi', baseUrl: 'https://llm.monsterapi.ai/v1', offers: ['chat'] },
  { id: 'moonshot', baseUrl: 'https://api.moonshot.cn/v1', offers: ['chat'], priceName: 'moonshotai' },
  { id: 'ncompass', baseUrl: 'https://api.ncompass.tech/v1', offers: ['chat'] },
  { id: 'nebius', baseUrl: 'https://api.studio.nebius.ai/v1', offers: ['chat', 'completions', 'embeddings'] },
  { id: 'nextbit', baseUrl: 'https://api.nextbit256.com/v1', offers: ['chat', 'completions'] },
  {
    id: 'novita-ai',
    baseUrl: 'https://api.novita.ai/v3/openai',
    offers: ['chat', 'completions'],
    priceName: 'novita',
  },
  { id: 'nscale', baseUrl: 'https://inference.api.nscale.com/v1', offers: ['chat', 'images'] },
  {
    id: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    offers: ['chat', 'responses'],
    priceName: 'openrouter',
  },
  {
    id: 'ovhcloud',
    baseUrl: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
    offers: ['chat'],
    priceName: 'ovhcloud',
  },
  {
    id: 'passthrough',
    baseUrl: null,
    offers: allOffers,
    streamUsage: false,
  },
  {
    id: 'perplexity-ai',
    baseUrl: 'https://api.perplexity.ai',
    offers: ['chat', 'responses'],
    streamUsage: false,
    priceName: 'perplexity',
  },
  { id: 'recraft-ai', baseUrl: 'https://external.api.recraft.ai/v1', offers: ['images'] },
  { id: 'sambanova', baseUrl: 'https://api.sambanova.ai/v1', offers: ['chat'] },
  { id: 'siliconflow', baseUrl: 'https://api.siliconflow.cn/v1', offers: ['chat', 'embeddings', 'images'] },
  {
    id: 'together-ai',
    baseUrl: 'https://api.together.xyz/v1',
    offers: ['chat', 'completions', 'embeddings'],
    priceName: 'together',
  },
  { id: 'upstage', baseUrl: 'https://api.upstage.ai/v1/solar', offers: ['chat', 'embeddings'] },
  {
    id: 'x-ai',
    baseUrl: 'https://api.x.ai/v1',
    offers: ['chat', 'completions', 'embeddings', 'responses'],
    priceName: 'x-ai',
  },
  { id: 'z-ai', baseUrl: 'https://api.z.ai/api/paas/v4', offers: ['chat'], priceName: 'zai' },
  {
    id: 'zhipu',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    offers: ['chat', 'embeddings'],
    priceName: 'zhipuai',
  },
];
