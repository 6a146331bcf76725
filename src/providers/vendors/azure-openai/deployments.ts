import { invalidInput } from '../../../errors/index.ts';
import { PATH_PART, type ProviderSettings } from '../../setting.ts';
import { type Deployment, deploymentsIn } from './deployment-lists.ts';

/** The deployment that a list has for a model: by its alias, its model or its own name, else the default one. */
function chosenOf(settings: ProviderSettings, model: string | null): Deployment | undefined {
  const list = deploymentsIn(settings);
  return (
    list.find(({ alias }) => alias === model) ??
    list.find((each) => each.model !== null && each.model === model) ??
    list.find(({ id }) => id === model) ??
    list.find(({ isDefault }) => isDefault)
  );
}

/** The version of the API; `v1` is the one without dates. `model` may choose a deployment with a version of its own. */
export function versionOf(settings: ProviderSettings, model: string | null): string {
  const chosen = chosenOf(settings, model)?.version ?? settings.azure_api_version;
  if (chosen !== undefined) return chosen;
  if (settings.azure_deployment_id === undefined) return 'v1';
  throw invalidInput('azure_api_version', 'azure_deployment_id needs an azure_api_version.');
}

/** The deployment for a model: one of the list, the only one, or the one that is called like the model. */
export function deploymentOf(settings: ProviderSettings, model: string | null): string {
  const id = chosenOf(settings, model)?.id ?? settings.azure_deployment_id ?? model;
  if (id === null)
    throw invalidInput('azure_deployment_id', 'Azure needs a deployment: send azure_deployment_id.');
  if (!PATH_PART.test(id)) throw invalidInput('model', 'model is not the name of a deployment.');
  return id;
}

/** Whether a version of the API finds the deployment by the model of the body, and by nothing else. */
export const isNamedByBody = (version: string): boolean => version === 'v1' || version === 'preview';

/** In `v1` the body's model is the deployment's own name, which a list has for the name that was asked for. */
export function sentModel(model: string | null, settings: ProviderSettings): string | null {
  const chosen = model === null ? undefined : chosenOf(settings, model);
  return chosen && isNamedByBody(chosen.version) ? chosen.id : model;
}

/** The known model behind the deployment that a model is asked of. */
export function pricedAs(settings: ProviderSettings, model: string | null): string | undefined {
  const chosen = chosenOf(settings, model);
  if (chosen?.model) return chosen.model;
  if (settings.azure_model_name !== undefined) return settings.azure_model_name;
  return chosen && isNamedByBody(chosen.version) ? chosen.alias : undefined;
}

/** In `v1` the body's model names the deployment, and nothing else can. */
export function requireNamedDeployment(settings: ProviderSettings, model: string | null): void {
  const id = chosenOf(settings, model)?.id ?? settings.azure_deployment_id;
  if (id === undefined || model === null || id === model) return;
  throw invalidInput('model', `With the API version v1 the model names the deployment: send ${id}.`);
}
