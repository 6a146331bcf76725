import { LRUCache } from 'lru-cache';
import { invalidInput } from '../../../errors/index.ts';
import { API_VERSION } from '../../credentials/azure/settings.ts';
import { PATH_PART, type ProviderSettings } from '../../setting.ts';

/** A deployment of a model, and the name by which requests ask for it. */
type Deployment = { deployment_id: string; alias: string; api_version: string; is_default?: boolean };

const MAX_DEPLOYMENTS = 100;

/** Why a JSON value is no list of deployments, in words that continue "must be". */
export function deploymentsProblem(list: unknown): string | null {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_DEPLOYMENTS)
    return `a list of 1 to ${MAX_DEPLOYMENTS} deployments`;
  return list.every(isDeployment)
    ? null
    : 'a list of deployments with deployment_id, alias, api_version and, if need be, is_default';
}

function isDeployment(item: unknown): item is Deployment {
  if (typeof item !== 'object' || item === null) return false;
  const {
    deployment_id: id,
    alias,
    api_version: version,
    is_default: isDefault,
    ...rest
  } = item as Deployment;
  return (
    Object.keys(rest).length === 0 &&
    typeof id === 'string' &&
    PATH_PART.test(id) &&
    typeof alias === 'string' &&
    alias.length > 0 &&
    alias.length <= 255 &&
    typeof version === 'string' &&
    API_VERSION.test(version) &&
    (isDefault === undefined || typeof isDefault === 'boolean')
  );
}

const parsed = new LRUCache<string, Deployment[]>({ max: 1000 });

function listOf({ azure_deployments: text }: ProviderSettings): Deployment[] {
  if (text === undefined) return [];
  let list = parsed.get(text);
  if (!list) {
    list = JSON.parse(text) as Deployment[];
    parsed.set(text, list);
  }
  return list;
}

/** The version of the API; `v1` is the one without dates. `model` may choose a deployment with a version of its own. */
export function versionOf(settings: ProviderSettings, model: string | null): string {
  const chosen = chosenOf(settings, model)?.api_version ?? settings.azure_api_version;
  if (chosen !== undefined) return chosen;
  if (settings.azure_deployment_id === undefined) return 'v1';
  throw invalidInput('azure_api_version', 'azure_deployment_id needs an azure_api_version.');
}

const chosenOf = (settings: ProviderSettings, model: string | null): Deployment | undefined => {
  const list = listOf(settings);
  return list.find(({ alias }) => alias === model) ?? list.find(({ is_default }) => is_default);
};

/** The deployment for a model: by its alias, the default one, the only one, or the one that is called like the model. */
export function deploymentOf(settings: ProviderSettings, model: string | null): string {
  const id = chosenOf(settings, model)?.deployment_id ?? settings.azure_deployment_id ?? model;
  if (id === null)
    throw invalidInput('azure_deployment_id', 'Azure needs a deployment: send azure_deployment_id.');
  if (!PATH_PART.test(id)) throw invalidInput('model', 'model is not the name of a deployment.');
  return id;
}

/** In `v1` the body's model names the deployment, and nothing else can. */
export function requireNamedDeployment(settings: ProviderSettings, model: string | null): void {
  const id = chosenOf(settings, model)?.deployment_id ?? settings.azure_deployment_id;
  if (id === undefined || model === null || id === model) return;
  throw invalidInput('model', `With the API version v1 the model names the deployment: send ${id}.`);
}
