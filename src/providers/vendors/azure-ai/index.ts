import { azureAuthorize, withVersion } from '../../credentials/azure/authorize.ts';
import { API_VERSION, identitySettings } from '../../credentials/azure/settings.ts';
import { keyIn } from '../../credentials/keys.ts';
import { allOffers } from '../../endpoint.ts';
import { settings as claude } from '../../kinds/claude/settings.ts';
import { openAiCompatible } from '../../kinds/openai-compatible/index.ts';
import type { Place, Provider } from '../../provider.ts';
import { HOST_PART, type ProviderSettings } from '../../setting.ts';

/** A Foundry address, a serverless deployment, or an endpoint of a managed one. */
function baseUrl(settings: ProviderSettings): string | null {
  const { azure_foundry_url: url, azure_region: region } = settings;
  const { azure_deployment_name: deployment, azure_endpoint_name: endpoint } = settings;
  if (url !== undefined) return url.replace(/\/+$/, '');
  if (region === undefined) return null;
  if (settings.azure_deployment_type === 'serverless')
    return deployment === undefined
      ? null
      : `https://${deployment.toLowerCase()}.${region}.models.ai.azure.com/v1`;
  return endpoint === undefined ? null : `https://${endpoint}.${region}.inference.ml.azure.com/v1`;
}

const isMessages = (path: string) => /\/messages(?:\/count_tokens)?(?:\?|$)/.test(path);

/** Claude's own format lies below a path of its own; a Foundry address may lead there already. */
function pathOf({ path, basePath }: Place): string {
  if (!isMessages(path)) return path;
  if (basePath.endsWith('/anthropic/v1')) return path;
  return basePath.endsWith('/anthropic') ? `/v1${path}` : `/anthropic/v1${path}`;
}

const withBearer = azureAuthorize(keyIn('authorization', 'Bearer '));
const withApiKey = azureAuthorize(keyIn('x-api-key'));
const ANTHROPIC_VERSION = '2023-06-01';

const authorize: Provider['authorize'] = (request, credential, fetch) => {
  const { settings } = credential;
  if (isMessages(request.path)) {
    request.headers['anthropic-version'] ??= settings.anthropic_version ?? ANTHROPIC_VERSION;
    return withApiKey(request, credential, fetch);
  }
  request.path = withVersion(request.path, settings.azure_api_version);
  return withBearer(request, credential, fetch);
};

const DEPLOYMENT_HEADER = 'azureml-model-deployment';

/** Models of all makers on Azure AI Foundry. */
export const azureAi = openAiCompatible({
  id: 'azure-ai',
  baseUrl,
  offers: allOffers,
  settings: {
    azure_foundry_url: { address: true },
    azure_endpoint_name: { pattern: HOST_PART },
    azure_deployment_name: { pattern: HOST_PART },
    azure_deployment_type: { pattern: /^(?:serverless|managed)$/ },
    azure_region: { pattern: HOST_PART },
    azure_api_version: { byRequest: true, pattern: API_VERSION, aliases: ['api_version'] },
    azure_extra_params: { byRequest: true, pattern: /^[a-z-]{1,32}$/ },
    anthropic_version: claude.anthropic_version,
    ...identitySettings,
  },
  settingHeaders: {
    azure_extra_params: 'extra-parameters',
    azure_deployment_name: DEPLOYMENT_HEADER,
  },
  modelHeaders: { [DEPLOYMENT_HEADER]: 'azure_deployment_name' },
  priceName: 'azure',
  sufficientSettings: [
    ['azure_deployment_name', 'azure_deployment_type', 'azure_region', 'azure_api_version'],
    ['azure_endpoint_name', 'azure_deployment_type'],
  ],
  callerHeaders: ['anthropic-beta', 'anthropic-version'],
  // A deployment is called like its model unless somebody names it.
  lacks: (endpoint, model) => endpoint === 'messages' && !/claude/i.test(model),
  pathOf,
  authorize,
});
