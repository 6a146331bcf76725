import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bodyOf } from '../../rest-compat/support.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { rounds } from '../../support/long.ts';
import { type Bundles, bundlesOf, document } from './bundles.ts';

let app: TestApp;
let bundles: Bundles;

beforeAll(async () => {
  app = await startApp();
  bundles = bundlesOf(app, await app.token());
});
afterAll(() => app.stop());

const usagePolicy = (limit: object, more: object = {}) =>
  document('UsageLimitPolicy', 'budget', {
    workspace: 'default',
    conditions: [{ key: 'workspace_id', value: 'default' }],
    groupBy: ['api_key'],
    limit: { creditLimit: 5, ...limit },
    ...more,
  });
const ratePolicy = (limit: object, more: object = {}) =>
  document('RateLimitPolicy', 'rate', {
    workspace: 'default',
    conditions: [{ key: 'model', value: ['gpt-4o', '*'], excludes: 'gpt-4o-mini' }],
    groupBy: ['api_key'],
    limit: { type: 'requests', unit: 'rpm', value: 10, ...limit },
    ...more,
  });
const apply = async (documents: object[], more: object = {}) => {
  const { failure, remaining, applied } = await bundles.apply(documents, more);
  expect({ failure, remaining }).toEqual({ failure: null, remaining: 0 });
  return applied.map(({ action, members }: any) => [action, ...members]);
};
const planned = async (documents: object[]) =>
  (await bundles.plan(documents)).changes.map(({ action, members }: any) => [action, ...members]);
const exported = async (kind: string) =>
  JSON.parse(await bundles.exportText(`(kinds: [${kind}], bundle: "platform")`));

describe('policies in a bundle', () => {
  it('are changed, member by member, and what a document says no more goes back to what it is without', async () => {
    await apply([
      usagePolicy({ alertThreshold: 4, periodicReset: 'weekly', enforcement: 'soft', waitMs: 7 }),
    ]);
    const [made] = (await app.graphql('{ usageLimitPolicies { data { id enforcement waitMs } } }')).data
      .usageLimitPolicies.data;
    expect(made).toMatchObject({ enforcement: 'soft', waitMs: 7 });
    expect(await planned([usagePolicy({ periodicReset: 'monthly' }, { description: 'new' })])).toEqual([
      ['update', 'spec.description', 'spec.limit'],
    ]);
    await apply([usagePolicy({ periodicReset: 'monthly' }, { description: 'new', name: 'Named' })]);
    const [changed] = (
      await app.graphql(
        '{ usageLimitPolicies { data { id name alertThreshold periodicReset enforcement waitMs onStoreLoss conditions { value } } } }',
      )
    ).data.usageLimitPolicies.data;
    expect(changed).toEqual({
      ...{ id: made.id, name: 'Named', alertThreshold: null, periodicReset: 'monthly' },
      ...{ enforcement: 'hard', waitMs: 1000, onStoreLoss: 'closed' },
      conditions: [{ value: expect.not.stringMatching(/^default$/) }],
    });
    expect(await exported('UsageLimitPolicy')).toEqual([
      document('UsageLimitPolicy', 'budget', {
        ...{ workspace: 'default', name: 'Named', description: 'new' },
        conditions: [{ key: 'workspace_id', value: 'default', excludes: null }],
        ...{ groupBy: ['api_key'], limit: { type: 'cost', creditLimit: 5, periodicReset: 'monthly' } },
      }),
    ]);
  });

  it('are the same whether a document names what holds anyway or not', async () => {
    await apply([ratePolicy({})]);
    for (const limit of [
      { enforcement: 'hard', window: 'bucket', waitMs: 0, onStoreLoss: 'local' },
      { onStoreLoss: 'local' },
    ])
      expect(await planned([ratePolicy(limit)])).toEqual([['unchanged']]);
    await apply([ratePolicy({ unit: 'rpw', value: 700, window: 'calendar' })]);
    const text = await bundles.exportText('(kinds: [RateLimitPolicy])');
    expect(await planned(JSON.parse(text))).toEqual([['unchanged']]);
    expect(JSON.parse(text)[0].spec.limit).toEqual({
      ...{ type: 'requests', unit: 'rpw', value: 700, window: 'calendar' },
    });
  });

  it('are archived when their bundle is pruned, and are in no export then', async () => {
    await apply([usagePolicy({}, { name: 'Named' }), ratePolicy({})]);
    expect(await apply([ratePolicy({})], { prune: ['platform'] })).toContainEqual(['delete']);
    expect(await exported('UsageLimitPolicy')).toEqual([]);
    expect(await planned([usagePolicy({})])).toEqual([['create']]);
  });

  it.each([
    ['another type', () => ratePolicy({ type: 'tokens' }), 'spec.limit.type'],
    ['another group', () => ratePolicy({}, { groupBy: ['model'] }), 'spec.groupBy'],
    ['another target', () => ratePolicy({}, { target: 'mcp_tools' }), 'spec.target'],
    ['a threshold above the limit', () => usagePolicy({ alertThreshold: 5 }), 'spec.limit.alertThreshold'],
    [
      'two periods',
      () => usagePolicy({ periodicReset: 'weekly', periodicResetDays: 3 }),
      'spec.limit.periodicResetDays',
    ],
    ['half a token', () => usagePolicy({ type: 'tokens', creditLimit: 1.5 }), 'spec.limit.creditLimit'],
    ['too many dollars', () => usagePolicy({ creditLimit: 9_000_001 }), 'spec.limit.creditLimit'],
    ['a budget that is shared out', () => usagePolicy({ onStoreLoss: 'local' }), 'spec.limit.onStoreLoss'],
    ['a rate of nothing', () => ratePolicy({ value: 0 }), 'spec.limit.value'],
    ['a rate by the second', () => ratePolicy({ unit: 'rps' }), 'spec.limit.unit'],
    ['no conditions', () => ratePolicy({}, { conditions: [] }), 'spec.conditions'],
    ['no workspace', () => ratePolicy({}, { workspace: 'nowhere' }), 'spec.workspace'],
    ['a member that there is not', () => ratePolicy({ limit: 1 }), 'spec.limit.limit'],
  ])('are refused with %s', async (_what, wrong, place) => {
    await apply([ratePolicy({})]);
    const before = await bundles.exportText('(kinds: [RateLimitPolicy, UsageLimitPolicy])');
    expect((await bundles.refusedApply([wrong()]))?.message).toContain(place);
    expect(await bundles.exportText('(kinds: [RateLimitPolicy, UsageLimitPolicy])')).toBe(before);
  });

  it('leave no half of a plan behind that names a fact which calls do not have', async () => {
    const wrong = ratePolicy({}, { conditions: [{ key: 'colour', value: 'red' }] });
    const { failure } = await bundles.apply([wrong]);
    expect(failure.message).toContain('"colour" is not a fact of a call');
    expect((await exported('RateLimitPolicy'))[0].spec.conditions[0].key).toBe('model');
  });
});

describe('limits of owners in a bundle', () => {
  const key = (spec: object) =>
    document('ApiKey', 'limited', {
      ...{ workspace: 'default', name: 'Limited', scopes: ['completions.write'] },
      ...spec,
    });
  const days = { type: 'requests', creditLimit: 10, periodicResetDays: 10 };
  const shown = async () => {
    const { data } = await app.graphql(
      '{ apiKeys(pageSize: 1000) { data { id name usageLimits { creditLimit nextUsageResetAt } rateLimits { unit value } } } }',
    );
    return data.apiKeys.data.find(({ name }: { name: string }) => name === 'Limited');
  };

  it('are set, changed and taken away, and days go on from where they are counted', async () => {
    await apply([key({ usageLimits: days, rateLimits: [{ type: 'requests', unit: 'rpm', value: 3 }] })]);
    const { id } = await shown();
    const later = new Date(Date.now() + 4 * 86_400_000).toISOString().slice(0, 10);
    bodyOf(
      await app.rest('PUT', `/v1/api-keys/${id}`, {
        body: {
          usage_limits: {
            ...{ type: 'requests', credit_limit: 10, periodic_reset_days: 10 },
            next_usage_reset_at: `${later}T00:00:00Z`,
          },
        },
        key: app.adminKey,
      }),
    );
    expect(
      await planned([key({ usageLimits: days, rateLimits: [{ type: 'requests', unit: 'rpm', value: 3 }] })]),
    ).toEqual([['unchanged']]);
    expect(await apply([key({ usageLimits: { ...days, creditLimit: 20 } })])).toEqual([
      ['update', 'spec.rateLimits', 'spec.usageLimits'],
    ]);
    expect(await shown()).toMatchObject({
      usageLimits: { creditLimit: 20, nextUsageResetAt: `${later}T00:00:00.000Z` },
      rateLimits: [],
    });
    expect(await apply([key({})])).toEqual([['update', 'spec.usageLimits']]);
    expect(await shown()).toMatchObject({ usageLimits: null });
  });

  it('are refused where they cannot be, and nothing changes', async () => {
    for (const [spec, place] of [
      [{ usageLimits: { creditLimit: 0 } }, 'spec.usageLimits.creditLimit'],
      [{ usageLimits: { ...days, alertThreshold: 11 } }, 'spec.usageLimits.alertThreshold'],
      [{ rateLimits: [{ type: 'requests', unit: 'rpy', value: 1 }] }, 'spec.rateLimits[0].unit'],
      [
        {
          rateLimits: [1, 2].map((value) => ({ type: 'requests', unit: 'rpm', value })),
        },
        'spec.rateLimits[1]',
      ],
    ] as const)
      expect((await bundles.refusedApply([key(spec)]))?.message).toContain(place);
    expect(await shown()).toMatchObject({ usageLimits: null });
  });

  it('of any kind come back from an export as they were written, in the order that they are kept in', async () => {
    const usage = fc.uniqueArray(
      fc.record(
        {
          type: fc.constantFrom('cost', 'tokens', 'requests'),
          creditLimit: fc.integer({ min: 100, max: 9_000_000 }),
          alertThreshold: fc.integer({ min: 1, max: 99 }),
          enforcement: fc.constantFrom('hard', 'soft', 'observe'),
          waitMs: fc.constantFrom(0, 1, 1000, 60_000),
          unpriced: fc.constantFrom('count', 'refuse'),
          onStoreLoss: fc.constantFrom('closed', 'open'),
          onCrash: fc.constantFrom('keep', 'return'),
          onAbort: fc.constantFrom('progress', 'reserve'),
          periodicResetDays: fc.integer({ min: 1, max: 365 }),
        },
        { requiredKeys: ['type', 'creditLimit'] },
      ),
      { selector: ({ type }) => type, maxLength: 3 },
    );
    const rates = fc.uniqueArray(
      fc.record(
        {
          type: fc.constantFrom('tokens', 'requests'),
          unit: fc.constantFrom('rps', 'rpm', 'rph', 'rpd', 'rpw'),
          value: fc.integer({ min: 0, max: 1e9 }),
          window: fc.constantFrom('bucket', 'calendar'),
          enforcement: fc.constantFrom('hard', 'soft', 'observe'),
          waitMs: fc.constantFrom(0, 1, 1000),
          onStoreLoss: fc.constantFrom('closed', 'local', 'open'),
        },
        { requiredKeys: ['type', 'unit', 'value'] },
      ),
      { selector: ({ type, unit }) => `${type} ${unit}`, maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(usage, rates, async (usageLimits, rateLimits) => {
        const written = document('Workspace', 'ws-limited', { name: 'Limited', usageLimits, rateLimits });
        await apply([written]);
        expect(await planned([written])).toEqual([['unchanged']]);
        const [back] = (await exported('Workspace')).filter(
          ({ metadata }: any) => metadata.slug === 'ws-limited',
        );
        expect(await planned([back])).toEqual([['unchanged']]);
        expect((back.spec.usageLimits ?? []).length).toBe(usageLimits.length);
        expect((back.spec.rateLimits ?? []).length).toBe(rateLimits.length);
      }),
      { numRuns: rounds(15, 300) },
    );
  }, 120_000);
});

describe('limits of workspaces at an integration in a bundle', () => {
  const workspaces = ['ws-one', 'ws-two'].map((slug) => document('Workspace', slug, { name: slug }));
  const integration = (spec: object) =>
    document('Integration', 'shared', {
      ...{ name: 'Shared', aiProviderId: 'mock', workspaces: ['ws-one'], deniedWorkspaces: ['ws-two'] },
      ...spec,
    });
  const budget = (creditLimit: number) => ({ type: 'requests', creditLimit });
  const rate = { type: 'tokens', unit: 'rph', value: 5000 };
  const days = { ...budget(9), periodicResetDays: 9 };
  const limits = [
    { usageLimits: [budget(3)] },
    { workspace: 'ws-one', usageLimits: [days], rateLimits: [rate] },
  ];
  const written = (workspaceLimits: object[], more: object = {}) => [
    ...workspaces,
    integration({ workspaceLimits, ...more }),
  ];
  const changes = async (documents: object[]) =>
    (await bundles.plan(documents)).changes
      .filter(({ kind }: any) => kind === 'Integration')
      .map(({ action, members }: any) => [action, ...members]);
  const shown = async () => {
    const { data } = await app.graphql(
      `{ integration(id: "shared") {
        globalWorkspaceAccessSettings { usageLimits { creditLimit } rateLimits { value } }
        workspaces(limit: 2000) { enabled workspace { slug } usageLimits { creditLimit nextUsageResetAt } rateLimits { unit value } } } }`,
      {},
      app.adminKey,
    );
    return data.integration;
  };
  const entry = async (slug: string) =>
    (await shown()).workspaces.find(({ workspace }: any) => workspace.slug === slug);

  it('are set, come back from an export, are changed and taken away; the limits of others stay', async () => {
    await apply(written(limits));
    expect(await shown()).toMatchObject({
      globalWorkspaceAccessSettings: { usageLimits: [{ creditLimit: 3 }], rateLimits: [] },
    });
    const made = await entry('ws-one');
    expect(made).toMatchObject({
      usageLimits: [{ creditLimit: 9 }],
      rateLimits: [{ unit: 'rph', value: 5000 }],
    });
    const [back] = await exported('Integration');
    expect(back.spec.workspaceLimits).toEqual([
      { workspace: null, usageLimits: [budget(3)], rateLimits: [] },
      { workspace: 'ws-one', usageLimits: [days], rateLimits: [rate] },
    ]);
    expect(await changes([...workspaces, back])).toEqual([['unchanged']]);
    // In whatever order they stand, and where an entry says nothing.
    expect(await changes(written([...limits.toReversed(), { workspace: 'ws-two' }]))).toEqual([
      ['unchanged'],
    ]);

    const raised = [limits[0] as object, { ...limits[1], usageLimits: [{ ...days, creditLimit: 90 }] }];
    expect(await changes(written(raised))).toEqual([['update', 'spec.workspaceLimits']]);
    await apply(written(raised));
    expect(await entry('ws-one')).toMatchObject({
      usageLimits: [{ creditLimit: 90, nextUsageResetAt: made.usageLimits[0].nextUsageResetAt }],
      rateLimits: [{ value: 5000 }],
    });
    // Sharing changes alone.
    await apply(written(raised, { workspaces: ['ws-one', 'ws-two'], deniedWorkspaces: [] }));
    expect(await entry('ws-two')).toMatchObject({ enabled: true, usageLimits: [], rateLimits: [] });
    expect(await entry('ws-one')).toMatchObject({ usageLimits: [{ creditLimit: 90 }] });
    await apply(written([]));
    expect(await entry('ws-one')).toMatchObject({ usageLimits: [], rateLimits: [] });
    expect(await shown()).toMatchObject({
      globalWorkspaceAccessSettings: { usageLimits: [], rateLimits: [] },
    });
  });

  it.each([
    [
      'a workspace that is not listed',
      [{ workspace: 'default', usageLimits: [budget(1)] }],
      'spec.workspaceLimits',
    ],
    ['a workspace twice', [limits[1], limits[1]], 'spec.workspaceLimits[1].workspace'],
    [
      'a limit that cannot be',
      [{ usageLimits: [{ ...budget(3), alertThreshold: 3 }] }],
      'spec.workspaceLimits[0].usageLimits[0].alertThreshold',
    ],
    [
      'a rate of no unit',
      [{ rateLimits: [{ ...rate, unit: 'rpy' }] }],
      'spec.workspaceLimits[0].rateLimits[0].unit',
    ],
    ['a member that there is not', [{ limits: [] }], 'spec.workspaceLimits[0].limits'],
  ])('are refused with %s, and nothing changes', async (_what, wrong, place) => {
    await apply(written(limits));
    const before = await bundles.exportText('(kinds: [Integration])');
    expect((await bundles.refusedApply(written(wrong as object[])))?.message).toContain(place);
    expect(await bundles.exportText('(kinds: [Integration])')).toBe(before);
  });

  it('are refused for an integration of one workspace', async () => {
    const own = document('Integration', 'own', {
      ...{ name: 'Own', aiProviderId: 'mock', workspace: 'ws-one', workspaceLimits: [limits[0]] },
    });
    expect((await bundles.refusedApply([...workspaces, own]))?.message).toContain('spec.workspaces');
  });

  it('stay when sharing changes between more workspaces than a list has items', async () => {
    const places = app.db.collection<{ _id: string }>('workspaces');
    const { _id: _own, ...place } = (await places.findOne({ isDefault: 1 })) ?? {};
    const slugs = Array.from({ length: 520 }, (_, index) => `ws-many-${String(index).padStart(3, '0')}`);
    const made = slugs.map((slug) => ({ ...place, _id: slug, slug, name: slug, isDefault: 0 }));
    await places.insertMany(made);
    const shared = (spec: object) => [
      ...workspaces,
      integration({
        deniedWorkspaces: [],
        workspaceLimits: [{ workspace: slugs.at(-1), usageLimits: [budget(7)] }],
        ...spec,
      }),
    ];
    await apply(shared({ workspaces: slugs }));
    expect(await entry(slugs.at(-1) ?? '')).toMatchObject({ usageLimits: [{ creditLimit: 7 }] });
    await apply(shared({ workspaces: slugs.slice(1), deniedWorkspaces: ['ws-two'] }));
    expect(await entry(slugs[0] ?? '')).toBeUndefined();
    expect(await entry(slugs.at(-1) ?? '')).toMatchObject({ usageLimits: [{ creditLimit: 7 }] });
  });
});
