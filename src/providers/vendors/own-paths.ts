import { awsAuthorize, regionOf } from '../credentials/aws/authorize.ts';
import { awsSettings } from '../credentials/aws/settings.ts';
import { keyIn } from '../credentials/keys.ts';
import { requireInPath } from '../kinds/model-in-path.ts';
import type { Vendor } from '../kinds/openai-compatible/index.ts';
import type { Place } from '../provider.ts';
import { HOST_PART, PATH_PART } from '../setting.ts';

const withoutEnd = (path: string, end: string) => (path.endsWith(end) ? '' : end);
const isMessages = ({ endpoint }: Place) => endpoint === 'messages' || endpoint === 'countTokens';

/** Providers whose API has OpenAI's format, and whose address follows from settings or whose paths or keys are their own. */
export const vendorsWithOwnPaths: readonly Vendor[] = [
  {
    id: 'bedrock-mantle',
    priceName: 'aws',
    baseUrl: (settings) => `https://bedrock-mantle.${regionOf(settings)}.api.aws`,
    offers: ['chat', 'messages', 'responses'],
    settings: awsSettings,
    sufficientSettings: [['aws_access_key_id', 'aws_secret_access_key']],
    callerHeaders: ['anthropic-beta', 'anthropic-version'],
    lacks: (endpoint, model) => endpoint === 'messages' && !/claude/i.test(model),
    pathOf: (place) =>
      place.endpoint === 'proxy'
        ? place.path
        : `${isMessages(place) ? '/anthropic' : ''}${withoutEnd(place.basePath, '/v1')}${place.path}`,
    authorize: awsAuthorize('bedrock-mantle', 'Bedrock'),
  },
  {
    id: 'byteplus',
    baseUrl: ({ byteplus_region: region = 'ap-southeast' }) => `https://ark.${region}.bytepluses.com/api/v3`,
    offers: ['chat'],
    settings: { byteplus_region: { pattern: HOST_PART } },
  },
  {
    id: 'bytez',
    baseUrl: 'https://api.bytez.com/models/v2',
    offers: ['chat'],
    nativeApi: { hidesModels: true },
    pathOf: ({ endpoint, path }) => (endpoint === 'proxy' ? path : `/openai/v1${path}`),
    authorize: keyIn('authorization', 'Key '),
  },
  {
    id: 'cortex',
    baseUrl: ({ snowflake_account: account }) =>
      account === undefined ? null : `https://${account}.snowflakecomputing.com/api/v2`,
    offers: ['chat'],
    settings: {
      snowflake_account: { pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9-]{1,32}){0,3}$/i },
    },
    pathOf: ({ endpoint, path }) => (endpoint === 'proxy' ? path : `/cortex/v1${path}`),
    authorize: ({ headers }, { key }) => {
      if (key === null) return;
      headers.authorization = `Bearer ${key}`;
      headers['x-snowflake-authorization-token-type'] ??= 'KEYPAIR_JWT';
    },
  },
  {
    id: 'databricks',
    baseUrl: ({ databricks_workspace: workspace }) =>
      workspace === undefined ? null : `https://${workspace}.cloud.databricks.com`,
    offers: ['chat', 'completions', 'embeddings', 'responses'],
    nativeApi: {
      modelPaths: [/\/(?:serving-)?endpoints\/([^/?]+)\/invocations/],
      cacheablePaths: [/^\/(?:serving-)?endpoints\/[^/]+\/invocations$/],
      dataMembers: ['dataframe_records', 'instances'],
    },
    settings: {
      databricks_workspace: { pattern: HOST_PART },
      databricks_serving_endpoint_name: { pattern: PATH_PART },
    },
    pathOf({ endpoint, path, settings: { databricks_serving_endpoint_name: name } }) {
      if (endpoint === 'proxy') return path;
      const isWhole = name !== undefined && /^(?:chatComplete|complete|embed)$/.test(endpoint);
      return `/serving-endpoints${isWhole ? `/${name}/invocations` : path}`;
    },
  },
  {
    id: 'huggingface',
    baseUrl: ({ huggingface_base_url: url }) =>
      url?.replace(/\/+$/, '') ?? 'https://api-inference.huggingface.co/models',
    offers: ['chat', 'completions'],
    nativeApi: { hidesModels: true },
    settings: { huggingface_base_url: { address: true } },
    pathOf({ endpoint, path, model, basePath }) {
      if (endpoint === 'proxy' || basePath.endsWith('/v1')) return path;
      return basePath === '/models' ? `/${requireInPath(model)}/v1${path}` : `/v1${path}`;
    },
  },
  {
    id: 'ollama',
    baseUrl: null,
    offers: ['chat', 'embeddings'],
    sufficientSettings: [[]],
    pathOf: ({ endpoint, path, basePath }) =>
      endpoint === 'proxy' ? path : `${withoutEnd(basePath, '/v1')}${path}`,
  },
  {
    id: 'predibase',
    baseUrl: ({ predibase_user: user }) =>
      user === undefined ? null : `https://serving.app.predibase.com/${user}/deployments/v2/llms`,
    offers: ['chat'],
    nativeApi: { hidesModels: true },
    settings: { predibase_user: { pattern: PATH_PART } },
    pathOf: ({ endpoint, path, model }) =>
      endpoint === 'chatComplete' ? `/${requireInPath(model)}/v1${path}` : path,
  },
  {
    id: 'reka-ai',
    baseUrl: 'https://api.reka.ai',
    offers: ['chat'],
    pathOf: ({ endpoint, path, basePath }) =>
      endpoint === 'proxy' ? path : `${withoutEnd(basePath, '/v1')}${path}`,
    authorize: keyIn('x-api-key'),
  },
];
