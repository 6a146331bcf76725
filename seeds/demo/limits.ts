import type { Ask } from './graph.ts';

const ofWorkspace = (slug: string) => ({ key: 'workspace_id', value: slug });

export const budgets = [
  {
    name: 'Search, a month',
    workspaceId: 'search',
    conditions: [ofWorkspace('search')],
    groupBy: [{ key: 'api_key' }],
    type: 'cost',
    creditLimit: 500,
    alertThreshold: 400,
    periodicReset: 'monthly',
  },
  {
    name: 'Each reader of the help pages',
    workspaceId: 'support',
    conditions: [{ key: 'metadata.team', value: 'chat' }],
    groupBy: [{ key: 'metadata._user' }],
    type: 'tokens',
    creditLimit: 200_000,
    periodicReset: 'weekly',
    enforcement: 'soft',
  },
];

export const rates = [
  {
    name: 'Evaluations, evenly',
    workspaceId: 'research',
    conditions: [ofWorkspace('research')],
    groupBy: [{ key: 'model' }],
    type: 'requests',
    unit: 'rpm',
    value: 120,
  },
];

type Named = { data: { name: string | null }[] };

/** Makes the policies that are not there yet. */
export async function seedLimits(ask: Ask): Promise<void> {
  const found = await ask<{ usage: Named; rates: Named }>(
    `{ usage: usageLimitPolicies(pageSize: 1000) { data { name } }
       rates: rateLimitPolicies(pageSize: 1000) { data { name } } }`,
  );
  const known = new Set([...found.usage.data, ...found.rates.data].map(({ name }) => name));
  const isNew = ({ name }: { name: string }) => !known.has(name);
  for (const input of budgets.filter(isNew))
    await ask(
      'mutation ($input: CreateUsageLimitPolicyInput!) { createUsageLimitPolicy(input: $input) { id } }',
      { input },
    );
  for (const input of rates.filter(isNew))
    await ask(
      'mutation ($input: CreateRateLimitPolicyInput!) { createRateLimitPolicy(input: $input) { id } }',
      { input },
    );
}
