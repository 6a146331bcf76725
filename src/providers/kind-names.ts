/** How people write the ids of providers that are no plain words with capitals. */
const names: Readonly<Record<string, string>> = {
  ai21: 'AI21 Labs',
  aibadgr: 'AI Badgr',
  'anthropic-aws': 'Claude Platform on AWS',
  'azure-ai': 'Azure AI Foundry',
  'azure-openai': 'Azure OpenAI',
  bedrock: 'Amazon Bedrock',
  'bedrock-mantle': 'Amazon Bedrock Mantle',
  cometapi: 'CometAPI',
  cortex: 'Snowflake Cortex',
  dashscope: 'DashScope',
  deepbricks: 'DeepBricks',
  deepinfra: 'DeepInfra',
  deepseek: 'DeepSeek',
  'fal-ai': 'fal',
  github: 'GitHub Models',
  google: 'Google Gemini',
  huggingface: 'Hugging Face',
  'inference-net': 'Inference.net',
  iointelligence: 'io.net Intelligence',
  'mistral-ai': 'Mistral AI',
  mock: 'Mock of this gateway',
  monsterapi: 'MonsterAPI',
  ncompass: 'nCompass',
  'novita-ai': 'Novita AI',
  openai: 'OpenAI',
  openrouter: 'OpenRouter',
  oracle: 'Oracle Cloud',
  ovhcloud: 'OVHcloud',
  palm: 'Google PaLM',
  passthrough: 'Any host, as it is',
  'recraft-ai': 'Recraft',
  'reka-ai': 'Reka',
  sagemaker: 'Amazon SageMaker',
  sambanova: 'SambaNova',
  'scenario-ai': 'Scenario',
  siliconflow: 'SiliconFlow',
  'stability-ai': 'Stability AI',
  'together-ai': 'Together AI',
  triton: 'NVIDIA Triton',
  'vertex-ai': 'Google Vertex AI',
  'workers-ai': 'Cloudflare Workers AI',
  'x-ai': 'xAI',
  'z-ai': 'Z.ai',
};

/** What a key is where it is more than an API key; null where a provider takes none. */
const keyLabels: Readonly<Record<string, string | null>> = {
  bedrock: 'API key, in place of a key pair',
  cortex: 'Key-pair JWT',
  mock: null,
  ollama: null,
  oracle: null,
  sagemaker: null,
  'scenario-ai': 'key:secret',
  triton: null,
  'vertex-ai': "Access token, or a service account's JSON",
};

const abbreviations: Readonly<Record<string, string>> = {
  ad: 'AD',
  ai: 'AI',
  api: 'API',
  arn: 'ARN',
  aws: 'AWS',
  id: 'ID',
  json: 'JSON',
  openai: 'OpenAI',
  url: 'URL',
};

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `deepseek` -> `DeepSeek`, `perplexity-ai` -> `Perplexity AI` */
export const nameOfKind = (id: string): string =>
  names[id] ??
  id
    .split('-')
    .map((word) => abbreviations[word] ?? capitalised(word))
    .join(' ');

export const keyLabelOf = (id: string): string | null => {
  const label = keyLabels[id];
  return label === undefined ? 'API key' : label;
};

/** `aws_role_arn` -> `AWS role ARN` */
export const labelOfSetting = (key: string): string =>
  capitalised(
    key
      .split('_')
      .map((word) => abbreviations[word] ?? word)
      .join(' '),
  );
