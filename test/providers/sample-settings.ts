import type { Provider } from '../../src/providers/index.ts';

/** Values of the settings that make addresses of providers. */
const samples: Readonly<Record<string, string>> = {
  aws_region: 'eu-west-1',
  azure_foundry_url: 'https://res.services.ai.azure.com/models',
  azure_resource_name: 'res',
  databricks_workspace: 'dbc-1',
  oracle_region: 'eu-frankfurt-1',
  predibase_user: 'user-1',
  snowflake_account: 'acc',
  vertex_region: 'europe-west4',
  workers_ai_account_id: 'acc',
};

/** Those that a provider takes. */
export const settingsOf = ({ settings }: Provider): Record<string, string> =>
  Object.fromEntries(Object.entries(samples).filter(([name]) => Object.hasOwn(settings, name)));
