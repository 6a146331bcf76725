import { invalidInput } from '../../../errors/index.ts';
import { findProvider, settingProblem } from '../../../providers/index.ts';
import type { CreateVirtualKeyInput } from '../../types.generated.ts';
import type { IntegrationConfigurations } from '../integration/index.ts';

type Given = Pick<
  CreateVirtualKeyInput,
  'apiVersion' | 'resourceName' | 'deploymentName' | 'deploymentConfig'
>;
type Deployment = NonNullable<Given['deploymentConfig']>[number];
/** As the provider's setting has it. */
type StoredDeployment = { deployment_id: string; alias: string; api_version: string; is_default?: boolean };

/** The provider's setting for each member of a virtual key. */
export const settingOf = {
  apiVersion: 'azure_api_version',
  resourceName: 'azure_resource_name',
  deploymentName: 'azure_deployment_id',
  deploymentConfig: 'azure_deployments',
} as const satisfies Record<keyof Given, string>;

const members = Object.keys(settingOf) as (keyof Given)[];

/** The settings that a virtual key brings for its kind of provider; each is refused where the kind has none such. */
export function parseModelConfig(kind: string, given: Given): IntegrationConfigurations {
  const known = findProvider(kind)?.settings ?? {};
  return Object.fromEntries(
    members.flatMap((member) => {
      const value = given[member];
      if (value === undefined || value === null) return [];
      const setting = known[settingOf[member]];
      if (!setting) throw invalidInput(`input.${member}`, `${member} is no setting of ${kind}.`);
      const text = typeof value === 'string' ? value : JSON.stringify(value.map(toStored));
      const problem = settingProblem(setting, text);
      if (problem) throw invalidInput(`input.${member}`, `${member} must be ${problem}.`);
      return [[settingOf[member], text]];
    }),
  );
}

const toStored = ({ apiVersion, deploymentName, alias, isDefault }: Deployment): StoredDeployment => ({
  deployment_id: deploymentName,
  alias: alias ?? deploymentName,
  api_version: apiVersion,
  ...(isDefault != null && { is_default: isDefault }),
});

/** The members of a virtual key that stand for the settings of its integration. */
export const shownModelConfig = (configurations: IntegrationConfigurations): Record<string, unknown> =>
  Object.fromEntries(
    members.flatMap((member) => {
      const text = configurations[settingOf[member]];
      if (text === undefined) return [];
      return [[member, member === 'deploymentConfig' ? deploymentsIn(text) : text]];
    }),
  );

const deploymentsIn = (text: string) =>
  (JSON.parse(text) as StoredDeployment[]).map(
    ({ deployment_id, alias, api_version, is_default = false }) => ({
      apiVersion: api_version,
      deploymentName: deployment_id,
      alias,
      is_default,
    }),
  );
