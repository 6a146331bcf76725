/**
 * The table of spec/data-plane.md, section 9.2: id, base URL (with settings that make it), the header of the key `k` and
 * the endpoints in the table's letters. `null` for a host that the caller names. `lacks`: letters of the table that are
 * refused with a clear 4xx, and why.
 */
export type Row = {
  id: string;
  base: string | null;
  settings?: Record<string, string>;
  /** `name: value`; null where nobody asks for a key. */
  auth: string | null;
  endpoints: string;
  lacks?: string;
};

const B = 'authorization: Bearer k';
const row = (
  id: string,
  base: string | null,
  auth: string | null,
  endpoints: string,
  rest: Partial<Row> = {},
): Row => ({
  id,
  base,
  auth,
  endpoints,
  ...rest,
});
const aws = { aws_region: 'eu-west-1' };

export const table: readonly Row[] = [
  row('openai', 'https://api.openai.com/v1', B, 'c t e i ie s x l r f b ft rt'),
  row('azure-openai', 'https://res.openai.azure.com/openai', 'api-key: k', 'c t e i ie s x l r f b ft rt', {
    settings: { azure_resource_name: 'res' },
  }),
  row('azure-ai', 'https://res.services.ai.azure.com/models', B, 'c t e i ie s x l m f b ft rt', {
    settings: { azure_foundry_url: 'https://res.services.ai.azure.com/models' },
  }),
  row('github', 'https://models.inference.ai.azure.com', B, 'c e'),
  row('anthropic', 'https://api.anthropic.com/v1', 'x-api-key: k', 'c t m'),
  // Files, batches and fine-tuning have formats of their own there.
  row('bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com', B, 'c t e i m f b ft', {
    settings: aws,
    lacks: 'm f b ft',
  }),
  row('sagemaker', 'https://runtime.sagemaker.eu-west-1.amazonaws.com', B, '', { settings: aws }),
  row('vertex-ai', 'https://europe-west4-aiplatform.googleapis.com/v1', B, 'c e i m f b ft', {
    settings: { vertex_region: 'europe-west4' },
    lacks: 'm f b ft',
  }),
  row('google', 'https://generativelanguage.googleapis.com/v1beta', 'x-goog-api-key: k', 'c e'),
  // The API is shut down.
  row('palm', 'https://generativelanguage.googleapis.com/v1beta3', 'x-goog-api-key: k', 'c t e', {
    lacks: 'c t e',
  }),
  row('cohere', 'https://api.cohere.ai', B, 'c t e f b', { lacks: 'f b' }),
  row('mistral-ai', 'https://api.mistral.ai/v1', B, 'c e'),
  row('groq', 'https://api.groq.com/openai/v1', B, 'c s x l r'),
  row('together-ai', 'https://api.together.xyz/v1', B, 'c t e'),
  // Data sets and tuning jobs have a format of their own, below an account's path.
  row('fireworks-ai', 'https://api.fireworks.ai/inference/v1', B, 'c t e i f ft', { lacks: 'f ft' }),
  row('x-ai', 'https://api.x.ai/v1', B, 'c t e'),
  row('openrouter', 'https://openrouter.ai/api/v1', B, 'c'),
  row('huggingface', 'https://api-inference.huggingface.co/models', B, 'c t'),
  row('ollama', null, B, 'c e'),
  row('triton', null, null, 't'),
  row('workers-ai', 'https://api.cloudflare.com/client/v4/accounts/acc/ai', B, 'c t e i', {
    settings: { workers_ai_account_id: 'acc' },
  }),
  // Its completions and embeddings went with the models that had them.
  row('ai21', 'https://api.ai21.com/studio/v1', B, 'c t e', { lacks: 't e' }),
  row('anyscale', 'https://api.endpoints.anyscale.com/v1', B, 'c t e'),
  row('lambda', 'https://api.lambdalabs.com/v1', B, 'c t'),
  row('lepton', 'https://api.lepton.ai/api/v1', B, 'c t x'),
  row('nebius', 'https://api.studio.nebius.ai/v1', B, 'c t e'),
  row('novita-ai', 'https://api.novita.ai/v3/openai', B, 'c t'),
  row('nscale', 'https://inference.api.nscale.com/v1', B, 'c i'),
  row('hyperbolic', 'https://api.hyperbolic.xyz/v1', B, 'c i'),
  row('iointelligence', 'https://api.intelligence.io.solutions/api/v1', B, 'c e r'),
  row('kluster-ai', 'https://api.kluster.ai/v1', B, 'c e f'),
  row('featherless-ai', 'https://api.featherless.ai/v1', B, 'c t'),
  row('dashscope', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', B, 'c e'),
  row('deepbricks', 'https://api.deepbricks.ai/v1', B, 'c i'),
  row('lemonfox-ai', 'https://api.lemonfox.ai/v1', B, 'c i x'),
  row('zhipu', 'https://open.bigmodel.cn/api/paas/v4', B, 'c e'),
  row('siliconflow', 'https://api.siliconflow.cn/v1', B, 'c e i'),
  row('upstage', 'https://api.upstage.ai/v1/solar', B, 'c e'),
  row('nextbit', 'https://api.nextbit256.com/v1', B, 'c t'),
  row('modal', 'https://api.modal.com/v1', B, 'c t'),
  row('cometapi', 'https://api.cometapi.com/v1', B, 'c e'),
  row('cortex', 'https://acc.snowflakecomputing.com/api/v2', B, 'c', {
    settings: { snowflake_account: 'acc' },
  }),
  row('oracle', 'https://inference.generativeai.eu-frankfurt-1.oci.oraclecloud.com', null, 'c', {
    settings: { oracle_region: 'eu-frankfurt-1' },
  }),
  row('reka-ai', 'https://api.reka.ai', 'x-api-key: k', 'c'),
  row('bytez', 'https://api.bytez.com/models/v2', 'authorization: Key k', 'c'),
  row('jina', 'https://api.jina.ai/v1', B, 'e'),
  row('voyage', 'https://api.voyageai.com/v1', B, 'e'),
  row('nomic', 'https://api-atlas.nomic.ai/v1', B, 'e'),
  row('stability-ai', 'https://api.stability.ai', B, 'i'),
  row('segmind', 'https://api.segmind.com/v1', 'x-api-key: k', 'i'),
  row('recraft-ai', 'https://external.api.recraft.ai/v1', B, 'i'),
  row('replicate', 'https://api.replicate.com/v1', B, ''),
  row('milvus', null, B, ''),
  row('qdrant', null, 'api-key: Bearer k', ''),
  row('meshy', 'https://api.meshy.ai/openapi/v1', B, ''),
  row('tripo3d', 'https://api.tripo3d.ai/v2/openapi', B, ''),
  row('bedrock-mantle', 'https://bedrock-mantle.eu-west-1.api.aws', B, 'c m r', { settings: aws }),
  row('databricks', 'https://dbc-1.cloud.databricks.com', B, 'c t e r', {
    settings: { databricks_workspace: 'dbc-1' },
  }),
  row('fal-ai', null, 'authorization: Key k', ''),
  row('scenario-ai', null, 'authorization: Basic aw==', ''),
  // Files and batches have a format of their own there.
  row('anthropic-aws', 'https://aws-external-anthropic.eu-west-1.api.aws/v1', 'x-api-key: k', 'm c f b', {
    settings: aws,
    lacks: 'f b',
  }),
  row('passthrough', null, B, ''),
  row('gateway', null, null, ''),
  row('perplexity-ai', 'https://api.perplexity.ai', B, 'c'),
  row('deepseek', 'https://api.deepseek.com/v1', B, 'c'),
  row('deepinfra', 'https://api.deepinfra.com/v1/openai', B, 'c'),
  row('cerebras', 'https://api.cerebras.ai/v1', B, 'c'),
  row('sambanova', 'https://api.sambanova.ai/v1', B, 'c'),
  row('inference-net', 'https://api.inference.net/v1', B, 'c'),
  row('krutrim', 'https://cloud.olakrutrim.com/v1', B, 'c'),
  row('lingyi', 'https://api.lingyiwanwu.com/v1', B, 'c'),
  row('moonshot', 'https://api.moonshot.cn/v1', B, 'c'),
  row('z-ai', 'https://api.z.ai/api/paas/v4', B, 'c'),
  row('monsterapi', 'https://llm.monsterapi.ai/v1', B, 'c'),
  row('ncompass', 'https://api.ncompass.tech/v1', B, 'c'),
  row('302ai', 'https://api.302.ai/v1', B, 'c'),
  row('aibadgr', 'https://aibadgr.com/api/v1', B, 'c'),
  row('matterai', 'https://api.matterai.so/v1', B, 'c'),
  row('ovhcloud', 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1', B, 'c'),
  row('predibase', 'https://serving.app.predibase.com/user-1/deployments/v2/llms', B, 'c', {
    settings: { predibase_user: 'user-1' },
  }),
  row('byteplus', 'https://ark.ap-southeast.bytepluses.com/api/v3', B, 'c'),
];
