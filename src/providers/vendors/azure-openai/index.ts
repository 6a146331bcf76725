import { azureAuthorize, withVersion } from '../../credentials/azure/authorize.ts';
import { API_VERSION, identitySettings, MODEL_NAME } from '../../credentials/azure/settings.ts';
import { keyIn } from '../../credentials/keys.ts';
import type { Endpoint } from '../../endpoint.ts';
import { openAiCompatible, openAiOffers } from '../../kinds/openai-compatible/index.ts';
import type { Place, Provider } from '../../provider.ts';
import { HEADER_VALUE, HOST_PART, PATH_PART } from '../../setting.ts';
import { deploymentConfigProblem, deploymentsProblem } from './deployment-lists.ts';
import {
  deploymentOf,
  isNamedByBody,
  pricedAs,
  requireNamedDeployment,
  sentModel,
  versionOf,
} from './deployments.ts';

/** They are asked of one deployment; everything else of the whole resource. */
const ofDeployment: ReadonlySet<Endpoint> = new Set([
  'chatComplete',
  'complete',
  'embed',
  'imageGenerate',
  'imageEdit',
  'imageVariation',
  'createSpeech',
  'createTranscription',
  'createTranslation',
]);

function pathOf({ endpoint, path, model, settings, basePath }: Place): string {
  if (endpoint === 'proxy') return path;
  const version = versionOf(settings, model);
  if (isNamedByBody(version)) {
    requireNamedDeployment(settings, model);
    const below = basePath.endsWith('/v1') ? path : `/v1${path}`;
    return version === 'v1' ? below : withVersion(below, version);
  }
  if (endpoint === 'realtime')
    return `${withVersion(path, version)}&deployment=${deploymentOf(settings, model)}`;
  const place = ofDeployment.has(endpoint) ? `/deployments/${deploymentOf(settings, model)}${path}` : path;
  return withVersion(place, version);
}

const withKey = azureAuthorize(keyIn('api-key'));

/** What is passed on as it is may leave out the version of the API. */
const authorize: Provider['authorize'] = (request, credential, fetch) => {
  const { azure_api_version: version } = credential.settings;
  if (version !== 'v1') request.path = withVersion(request.path, version);
  return withKey(request, credential, fetch);
};

/** OpenAI's models on Azure: one resource, one or several deployments. */
export const azureOpenAi = openAiCompatible({
  id: 'azure-openai',
  baseUrl: ({ azure_resource_name: resource }) =>
    resource === undefined ? null : `https://${resource}.openai.azure.com/openai`,
  offers: openAiOffers,
  settings: {
    azure_resource_name: { pattern: HOST_PART, aliases: ['resource_name'] },
    azure_deployment_id: { pattern: PATH_PART, aliases: ['deployment_id'] },
    azure_deployments: { list: deploymentsProblem, aliases: ['deployments'] },
    azure_deployment_config: { list: deploymentConfigProblem },
    azure_model_name: { pattern: MODEL_NAME },
    azure_api_version: { byRequest: true, pattern: API_VERSION, aliases: ['api_version'] },
    openai_beta: { byRequest: true, pattern: HEADER_VALUE },
    ...identitySettings,
  },
  priceName: 'azure',
  nativeApi: { modelPaths: [/\/deployments\/([^/?]+)\//], modelParameters: ['deployment'] },
  settingHeaders: { openai_beta: 'openai-beta' },
  sufficientSettings: [['azure_auth_mode'], ['azure_resource_name', 'azure_ad_token']],
  // Deployments have names of their own, by which no price is known.
  pricedAs,
  sentModel,
  pathOf,
  authorize,
});
