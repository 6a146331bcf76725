import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { API_VERSION, MODEL_NAME } from '../../credentials/azure/settings.ts';
import { PATH_PART, type ProviderSettings } from '../../setting.ts';

/** A deployment of a model, the name by which requests ask for it, and the known model that it runs. */
export type Deployment = {
  id: string;
  alias: string;
  version: string;
  model: string | null;
  isDefault: boolean;
};

const MAX_DEPLOYMENTS = 100;

const alias = z.string().min(1).max(255);

/** As configs write it. */
const inConfigs = z.strictObject({
  deployment_id: z.string().regex(PATH_PART),
  alias,
  api_version: z.string().regex(API_VERSION),
  is_default: z.boolean().optional(),
});

/** As integrations write it. */
const inIntegrations = z.strictObject({
  azure_deployment_name: z.string().regex(PATH_PART),
  azure_api_version: z.string().max(30).regex(API_VERSION),
  azure_model_slug: z.string().regex(MODEL_NAME),
  alias: alias.optional(),
  is_default: z.boolean().optional(),
});

/** Why a JSON value is no list of such deployments, in words that continue "must be". */
const problemOf = (deployment: z.ZodType, members: string) => (list: unknown) => {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_DEPLOYMENTS)
    return `a list of 1 to ${MAX_DEPLOYMENTS} deployments`;
  const wrong = list.findIndex((item) => !deployment.safeParse(item).success);
  if (wrong >= 0) return `a list of deployments with ${members}; the one at ${wrong} is not`;
  if (list.filter(({ is_default: isDefault }) => isDefault).length > 1)
    return 'a list with one default deployment at most';
  return null;
};

export const deploymentsProblem = problemOf(
  inConfigs,
  'deployment_id, alias, api_version and, if need be, is_default',
);

export const deploymentConfigProblem = problemOf(
  inIntegrations,
  'azure_deployment_name, azure_api_version, azure_model_slug and, if need be, alias and is_default',
);

const parsed = new LRUCache<string, Deployment[]>({ max: 1000 });

/** The deployments that the settings list, in either form. */
export function deploymentsIn({
  azure_deployments,
  azure_deployment_config,
}: ProviderSettings): Deployment[] {
  const text = azure_deployment_config ?? azure_deployments;
  if (text === undefined) return [];
  let list = parsed.get(text);
  if (!list) {
    list = (JSON.parse(text) as object[]).map(read);
    parsed.set(text, list);
  }
  return list;
}

type Written = z.infer<typeof inConfigs> | z.infer<typeof inIntegrations>;

function read(item: object): Deployment {
  const written = item as Written;
  const isDefault = written.is_default ?? false;
  if ('deployment_id' in written) {
    const { deployment_id: id, api_version: version } = written;
    return { id, alias: written.alias, version, model: null, isDefault };
  }
  const { azure_deployment_name: id, azure_api_version: version, azure_model_slug: model } = written;
  return { id, alias: written.alias ?? model, version, model, isDefault };
}
