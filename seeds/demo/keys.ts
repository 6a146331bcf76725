import type { Ask } from './graph.ts';

const DAY_MS = 24 * 3_600_000;

type Scopes = 'application' | 'reading';
const scopes: Record<Scopes, string[]> = {
  application: ['completions.write', 'models.list', 'feedbacks.write'],
  reading: ['logs.list', 'logs.view', 'analytics.view', 'configs.list', 'configs.read', 'providers.list'],
};

type DemoKey = {
  name: string;
  /** Slug; null for a key of the organisation. */
  workspaceId: string | null;
  may: Scopes;
  /** Address of the person whom it stands for. */
  person?: string;
  /** Days from now. */
  expires?: number;
  /** US dollars a month. */
  budget?: number;
};

export const keys: readonly DemoKey[] = [
  { name: 'search-api', workspaceId: 'search', may: 'application', budget: 500 },
  { name: 'search-ranking', workspaceId: 'search', may: 'application', expires: 58 },
  { name: 'search-nightly', workspaceId: 'search', may: 'application', expires: 12 },
  { name: 'alan-laptop', workspaceId: 'search', may: 'application', person: 'alan@example.com' },
  { name: 'support-bot', workspaceId: 'support', may: 'application', budget: 300 },
  { name: 'support-replies', workspaceId: 'support', may: 'application', expires: 2 },
  { name: 'support-dashboard', workspaceId: 'support', may: 'reading' },
  { name: 'research-evals', workspaceId: 'research', may: 'application', budget: 80 },
  { name: 'research-batch', workspaceId: 'research', may: 'application' },
  {
    name: 'katherine-notebook',
    workspaceId: 'research',
    may: 'application',
    person: 'katherine@example.com',
  },
  { name: 'research-board', workspaceId: 'research', may: 'reading' },
  { name: 'finance-report', workspaceId: null, may: 'reading', expires: 90 },
];

/** A key of the demo as logs name it. */
export type SeededKey = { id: string; name: string; workspaceSlug: string | null };

type Found = { apiKeys: { data: { id: string; name: string }[] } };
type Created = { created: { id: string } };

/** Makes the keys that are not there yet; nobody learns their secrets. Answers all of them. */
export async function seedKeys(ask: Ask, userIds: ReadonlyMap<string, string>): Promise<SeededKey[]> {
  const found = await ask<Found>('{ apiKeys(pageSize: 1000) { data { id name } } }');
  const ids = new Map(found.apiKeys.data.map(({ id, name }) => [name, id]));
  const seeded: SeededKey[] = [];
  for (const key of keys) {
    const id = ids.get(key.name) ?? (await create(ask, key, userIds));
    seeded.push({ id, name: key.name, workspaceSlug: key.workspaceId });
  }
  return seeded;
}

async function create(ask: Ask, key: DemoKey, userIds: ReadonlyMap<string, string>): Promise<string> {
  const { name, workspaceId, may, person, expires, budget } = key;
  const kind =
    workspaceId === null
      ? 'OrganisationService'
      : person === undefined
        ? 'WorkspaceService'
        : 'WorkspaceUser';
  const input = {
    name,
    scopes: scopes[may],
    ...(workspaceId !== null && { workspaceId }),
    ...(person !== undefined && { userId: userIds.get(person) }),
    ...(expires !== undefined && { expiresAt: new Date(Date.now() + expires * DAY_MS).toISOString() }),
    ...(budget !== undefined && {
      usageLimits: { creditLimit: budget, alertThreshold: budget * 0.8, periodicReset: 'monthly' },
    }),
  };
  const { created } = await ask<Created>(
    `mutation ($input: Create${kind}ApiKeyInput!) { created: create${kind}ApiKey(input: $input) { id } }`,
    { input },
  );
  return created.id;
}
