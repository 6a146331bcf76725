import { bearer } from '../credentials/keys.ts';
import type { Vendor } from '../kinds/openai-compatible/index.ts';
import type { Provider } from '../provider.ts';

/** Fireworks manages an account beside the path of its models. */
const manageFireworks: Provider['authorize'] = (request, credential, fetch) => {
  request.path = request.path.replace(/^\/inference(?=\/v1\/accounts\/)/, '');
  return bearer(request, credential, fetch);
};

/**
 * Providers whose API has OpenAI's shape and takes a bearer key, with the endpoints that they list (spec/data-plane.md,
 * sections 9.2 and 10.2).
 */
export const vendors: readonly Vendor[] = [
  {
    id: 'openai',
    priceName: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    endpoints: 'c t e i ie s x l r f b ft rt',
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
  { id: '302ai', baseUrl: 'https://api.302.ai/v1', endpoints: 'c' },
  { id: 'aibadgr', baseUrl: 'https://aibadgr.com/api/v1', endpoints: 'c' },
  { id: 'ai21', baseUrl: 'https://api.ai21.com/studio/v1', endpoints: 'c', streamUsage: false },
  { id: 'anyscale', baseUrl: 'https://api.endpoints.anyscale.com/v1', endpoints: 'c t e' },
  { id: 'cerebras', baseUrl: 'https://api.cerebras.ai/v1', endpoints: 'c', priceName: 'cerebras' },
  { id: 'cometapi', baseUrl: 'https://api.cometapi.com/v1', endpoints: 'c e' },
  { id: 'dashscope', baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', endpoints: 'c e' },
  { id: 'deepbricks', baseUrl: 'https://api.deepbricks.ai/v1', endpoints: 'c i' },
  { id: 'deepinfra', baseUrl: 'https://api.deepinfra.com/v1/openai', endpoints: 'c' },
  { id: 'deepseek', baseUrl: 'https://api.deepseek.com/v1', endpoints: 'c', priceName: 'deepseek' },
  { id: 'featherless-ai', baseUrl: 'https://api.featherless.ai/v1', endpoints: 'c t' },
  {
    id: 'fireworks-ai',
    priceName: 'fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    endpoints: 'c t e i',
    authorize: manageFireworks,
  },
  { id: 'github', baseUrl: 'https://models.inference.ai.azure.com', endpoints: 'c e' },
  { id: 'groq', baseUrl: 'https://api.groq.com/openai/v1', endpoints: 'c s x l r', priceName: 'groq' },
  { id: 'hyperbolic', baseUrl: 'https://api.hyperbolic.xyz/v1', endpoints: 'c i' },
  { id: 'inference-net', baseUrl: 'https://api.inference.net/v1', endpoints: 'c' },
  { id: 'iointelligence', baseUrl: 'https://api.intelligence.io.solutions/api/v1', endpoints: 'c e r' },
  { id: 'jina', baseUrl: 'https://api.jina.ai/v1', endpoints: 'e' },
  { id: 'kluster-ai', baseUrl: 'https://api.kluster.ai/v1', endpoints: 'c e f' },
  { id: 'krutrim', baseUrl: 'https://cloud.olakrutrim.com/v1', endpoints: 'c' },
  { id: 'lambda', baseUrl: 'https://api.lambdalabs.com/v1', endpoints: 'c t' },
  { id: 'lemonfox-ai', baseUrl: 'https://api.lemonfox.ai/v1', endpoints: 'c i x' },
  { id: 'lepton', baseUrl: 'https://api.lepton.ai/api/v1', endpoints: 'c t x' },
  { id: 'lingyi', baseUrl: 'https://api.lingyiwanwu.com/v1', endpoints: 'c' },
  { id: 'matterai', baseUrl: 'https://api.matterai.so/v1', endpoints: 'c' },
  // Sends the token counts with the last chunk, asked or not.
  {
    id: 'mistral-ai',
    priceName: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    endpoints: 'c e',
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
    endpoints: 'c t',
    callerHeaders: ['modal-key', 'modal-secret', 'model-key', 'model-secret'],
  },
  { id: 'monsterapi', baseUrl: 'https://llm.monsterapi.ai/v1', endpoints: 'c' },
  { id: 'moonshot', baseUrl: 'https://api.moonshot.cn/v1', endpoints: 'c', priceName: 'moonshotai' },
  { id: 'ncompass', baseUrl: 'https://api.ncompass.tech/v1', endpoints: 'c' },
  { id: 'nebius', baseUrl: 'https://api.studio.nebius.ai/v1', endpoints: 'c t e' },
  { id: 'nextbit', baseUrl: 'https://api.nextbit256.com/v1', endpoints: 'c t' },
  { id: 'novita-ai', baseUrl: 'https://api.novita.ai/v3/openai', endpoints: 'c t', priceName: 'novita' },
  { id: 'nscale', baseUrl: 'https://inference.api.nscale.com/v1', endpoints: 'c i' },
  { id: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', endpoints: 'c r', priceName: 'openrouter' },
  {
    id: 'ovhcloud',
    baseUrl: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
    endpoints: 'c',
    priceName: 'ovhcloud',
  },
  { id: 'passthrough', baseUrl: null, endpoints: 'c t e m r i ie s x l f b ft rt', streamUsage: false },
  {
    id: 'perplexity-ai',
    baseUrl: 'https://api.perplexity.ai',
    endpoints: 'c r',
    streamUsage: false,
    priceName: 'perplexity',
  },
  { id: 'recraft-ai', baseUrl: 'https://external.api.recraft.ai/v1', endpoints: 'i' },
  { id: 'sambanova', baseUrl: 'https://api.sambanova.ai/v1', endpoints: 'c' },
  { id: 'siliconflow', baseUrl: 'https://api.siliconflow.cn/v1', endpoints: 'c e i' },
  { id: 'together-ai', baseUrl: 'https://api.together.xyz/v1', endpoints: 'c t e', priceName: 'together' },
  { id: 'upstage', baseUrl: 'https://api.upstage.ai/v1/solar', endpoints: 'c e' },
  { id: 'x-ai', baseUrl: 'https://api.x.ai/v1', endpoints: 'c t e r', priceName: 'x-ai' },
  { id: 'z-ai', baseUrl: 'https://api.z.ai/api/paas/v4', endpoints: 'c', priceName: 'zai' },
  { id: 'zhipu', baseUrl: 'https://open.bigmodel.cn/api/paas/v4', endpoints: 'c e', priceName: 'zhipuai' },
];
