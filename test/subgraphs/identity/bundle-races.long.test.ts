import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Bundles, bundlesOf, document, teamSecrets as secrets, team } from './bundles.ts';

let app: TestApp;
let bundles: Bundles;

beforeAll(async () => {
  app = await startApp();
  bundles = bundlesOf(app, await app.token());
});
afterAll(() => app.stop());

/** Two specs that change a resource of each kind: whoever writes second has planned with what is no more. */
const rivals: [kind: string, one: object, other: object][] = [
  ['Workspace', { name: 'One' }, { description: 'Other' }],
  ['SecretReference', { secretPath: 'one' }, { description: 'Other' }],
  ['Integration', { name: 'One' }, { models: [{ slug: 'gpt-4o', enabled: false }] }],
  ['Integration', { allowAllModels: true }, { allWorkspaces: true, workspaces: [] }],
  ['Provider', { note: 'One' }, { name: 'Other' }],
  ['Config', { name: 'One' }, { config: { retry: { attempts: 2 } } }],
  ['Deployment', { url: 'https://one.example' }, { description: 'Other' }],
  ['Role', { permissions: ['configs.read'] }, { description: 'Other' }],
  ['ServiceAccount', { description: 'One' }, { description: 'Other' }],
  ['AccessPolicy', { workspace: null }, { role: 'view_only_admin' }],
  ['ApiKey', { name: 'One' }, { scopes: ['configs.list'] }],
  ['ApiKey', { usageLimits: null }, { rateLimits: [] }],
  ['UsageLimitPolicy', { name: 'One' }, { limit: { creditLimit: 7 } }],
  ['RateLimitPolicy', { description: 'One' }, { limit: { type: 'requests', unit: 'rpd', value: 7 } }],
];

type Applied = { applied: unknown[]; failure: { code: string } | null };

/** Applies two plans of the same state at once; answers how each ended. */
async function race(
  one: readonly unknown[],
  other: readonly unknown[],
  more: object = {},
): Promise<string[]> {
  const [ofOne, ofOther] = [await bundles.plan(one), await bundles.plan(other, more)];
  const ends = await Promise.all([
    bundles.ask(applyText, { input: { documents: one, expectedDigest: ofOne.digest } }),
    bundles.ask(applyText, { input: { documents: other, expectedDigest: ofOther.digest, ...more } }),
  ]);
  return ends.map(({ data, errors }) => {
    const { failure } = (data?.result ?? { failure: errors?.[0]?.extensions }) as Applied;
    return failure ? failure.code : 'applied';
  });
}
const applyText =
  'mutation ($input: ApplyBundleInput!) { result: applyBundle(input: $input) { applied { slug } failure { code } } }';

it.each(rivals)('of two who change a %s one is told that it was changed', async (kind, one, other) => {
  expect(await bundles.apply(team, { secrets })).toMatchObject({ failure: null, remaining: 0 });
  const edited = (spec: object) =>
    team.map((each) => (each.kind === kind ? { ...each, spec: { ...each.spec, ...spec } } : each));
  expect((await race(edited(one), edited(other))).sort()).toEqual(['PRECONDITION_FAILED', 'applied']);
  const { changes } = await bundles.plan(team);
  expect(changes.filter(({ action }: any) => action !== 'unchanged')).toHaveLength(1);
});

const lonePolicy = {
  ...{ workspace: 'default', name: 'Lone', groupBy: ['api_key'] },
  conditions: [{ key: 'model', value: '*' }],
};

/** What nothing else needs, so that it can be deleted. */
const lone: [kind: string, slug: string, spec: object, changed: object][] = [
  ['Workspace', 'ws-lone', { name: 'Lone' }, { name: 'Changed' }],
  ['SecretReference', 'lone', { ...team[1]?.spec, workspaces: [] }, { secretPath: 'changed' }],
  ['Integration', 'lone', { name: 'Lone', aiProviderId: 'openai' }, { name: 'Changed' }],
  ['Provider', 'lone', { workspace: 'default', integration: 'mock', name: 'Lone' }, { note: 'Changed' }],
  [
    'Config',
    'pc-lone',
    { workspace: 'default', name: 'Lone', config: { retry: { attempts: 1 } } },
    { name: 'Changed' },
  ],
  [
    'Deployment',
    'lone',
    { name: 'Lone', type: 'production', url: 'https://lone.example' },
    { name: 'Changed' },
  ],
  ['Role', 'lone', { name: 'Lone', permissions: ['configs.read'] }, { name: 'Changed' }],
  ['ServiceAccount', 'lone', {}, { description: 'Changed' }],
  [
    'AccessPolicy',
    'lone',
    { principal: 'ada@example.com', role: 'view_only_admin' },
    { workspace: 'default' },
  ],
  [
    'ApiKey',
    'lone',
    { workspace: 'default', name: 'Lone', scopes: ['logs.list'] },
    { description: 'Changed' },
  ],
  ['UsageLimitPolicy', 'lone', { ...lonePolicy, limit: { creditLimit: 1 } }, { limit: { creditLimit: 2 } }],
  [
    'RateLimitPolicy',
    'lone',
    { ...lonePolicy, limit: { type: 'tokens', unit: 'rpm', value: 1 } },
    { description: 'Changed' },
  ],
];

it.each(lone)(
  'of one who changes a %s and one who deletes it, one is told',
  async (kind, slug, spec, changed) => {
    const before = [document(kind, slug, spec, 'lone')];
    expect(await bundles.apply(before, { secrets })).toMatchObject({ failure: null, remaining: 0 });
    const ends = await race([document(kind, slug, { ...spec, ...changed }, 'lone')], [], { prune: ['lone'] });
    expect([...ends].sort()).toEqual(['PRECONDITION_FAILED', 'applied']);
    const left = await bundles.exportText(`(kinds: [${kind}], bundle: "lone")`);
    expect(JSON.parse(left)).toHaveLength(ends[0] === 'applied' ? 1 : 0);
    await bundles.apply([], { prune: ['lone'] });
  },
);
