import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { auditRows, makeKey } from '../support.ts';
import { type Bundles, bundlesOf, document, teamSecrets as secrets, team } from './bundles.ts';

let app: TestApp;
let bundles: Bundles;

beforeAll(async () => {
  app = await startApp();
  bundles = bundlesOf(app, await app.token());
  expect(await bundles.apply(team, { secrets })).toMatchObject({ remaining: 0, failure: null });
});
afterAll(() => app.stop());

const changesOf = async (documents: unknown[], more: object = {}) =>
  (await bundles.plan(documents, more)).changes.filter(({ action }: any) => action !== 'unchanged');
const edited = (kind: string, spec: object) =>
  team.map((each) => (each.kind === kind ? { ...each, spec: { ...each.spec, ...spec } } : each));

describe('a changed document', () => {
  it.each([
    ['Workspace', { description: 'Finds more' }, 'spec.description'],
    ['SecretReference', { secretPath: 'teams/other' }, 'spec.secretPath'],
    ['SecretReference', { workspaces: [] }, 'spec.workspaces'],
    ['Integration', { models: [{ slug: 'gpt-4o' }, { slug: 'our-own', isCustom: true }] }, 'spec.models'],
    ['Integration', { allWorkspaces: true, workspaces: [] }, 'spec.allWorkspaces'],
    ['Provider', { note: 'For search' }, 'spec.note'],
    ['Config', { isDefault: false }, 'spec.isDefault'],
    ['Guardrail', { actions: { onUnreadable: 'deny' } }, 'spec.actions'],
    ['Guardrail', { status: 'archived' }, 'spec.status'],
    ['Deployment', { url: 'https://other.example', mcpUrl: 'https://mcp.example' }, 'spec.url'],
    ['Deployment', { status: 'archived' }, 'spec.status'],
    ['Deployment', { allowAllWorkspaces: true, workspaces: [] }, 'spec.workspaces'],
    ['Role', { permissions: ['configs.read'] }, 'spec.permissions'],
    ['ServiceAccount', { description: 'Reads more' }, 'spec.description'],
    ['AccessPolicy', { workspace: null }, 'spec.workspace'],
    ['ApiKey', { allowConfigOverride: false }, 'spec.allowConfigOverride'],
  ])('of the kind %s changes %j and nothing else', async (kind, spec, member) => {
    const documents = edited(kind, spec);
    const changes = await changesOf(documents);
    expect(changes).toMatchObject([{ kind, action: 'update', members: expect.arrayContaining([member]) }]);
    expect(await bundles.apply(documents)).toMatchObject({ applied: changes, failure: null, remaining: 0 });
    expect(await changesOf(documents)).toEqual([]);
    expect(await bundles.apply(team)).toMatchObject({ failure: null, remaining: 0 });
    expect(await changesOf(team)).toEqual([]);
  });

  it('says that a secret has another value, and stores it', async () => {
    const other = { secrets: { ...secrets, 'env:OPENAI_API_KEY': 'sk-second-value-987654321' } };
    const changes = await changesOf(team, other);
    expect(changes).toMatchObject([
      { kind: 'Integration', members: ['spec.key'] },
      { kind: 'Config', members: ['spec.config'] },
    ]);
    expect(await bundles.apply(team, other)).toMatchObject({ applied: changes, failure: null });
    expect((await app.rest('GET', '/v1/integrations/main', { key: app.adminKey })).body).toMatchObject({
      masked_key: 'sk-***4321',
    });
    expect(await changesOf(team, other)).toEqual([]);
  });

  it('is refused where the resource was changed since the plan that is named', async () => {
    const documents = edited('Workspace', { name: 'Searching' });
    const { digest } = await bundles.plan(documents);
    await bundles.apply(edited('Workspace', { name: 'Meanwhile' }));
    const error = await bundles.refusedApply(documents, { expectedDigest: digest });
    expect(error?.extensions.code).toBe('PRECONDITION_FAILED');
    expect(await changesOf(edited('Workspace', { name: 'Meanwhile' }))).toEqual([]);
    await bundles.apply(team);
  });

  it('goes on where an apply has stopped', async () => {
    const more = [1, 2, 3].map((count) =>
      document('Workspace', `ws-more-${count}`, { name: `More ${count}` }, 'more'),
    );
    expect(await bundles.apply(more, { limit: 2 })).toMatchObject({ applied: { length: 2 }, remaining: 1 });
    expect(await bundles.apply(more, { limit: 2 })).toMatchObject({
      applied: [{ slug: 'ws-more-3' }],
      remaining: 0,
    });
  });

  it('is pruned where its bundle says so, and what others own stays', async () => {
    const prune = ['more'];
    const changes = await changesOf([], { prune });
    expect(changes.map(({ action, slug }: any) => `${action} ${slug}`).sort()).toEqual(
      [1, 2, 3].map((count) => `delete ws-more-${count}`),
    );
    expect(await bundles.apply([], { prune })).toMatchObject({
      applied: changes,
      failure: null,
      remaining: 0,
    });
    expect(await changesOf([], { prune })).toEqual([]);
    expect(await changesOf(team)).toEqual([]);
  });

  it('of a guardrail of the organisation is made, changed and deleted', async () => {
    const common = (spec: object) =>
      document(
        'Guardrail',
        'gr-common',
        { name: 'Common', checks: [{ id: 'default.wordCount' }], ...spec },
        'gone',
      );
    for (const spec of [
      {},
      { actions: { softDeny_200: true } },
      { checks: [{ id: 'default.alllowercase' }] },
    ]) {
      expect(await bundles.apply([common(spec)])).toMatchObject({ failure: null, applied: { length: 1 } });
      expect(await changesOf([common(spec)])).toEqual([]);
    }
    const shown = () => app.rest('GET', '/v1/org-guardrails/gr-common', { key: app.adminKey });
    expect((await shown()).body).toMatchObject({ checks: [{ id: 'default.alllowercase' }] });
    expect(await bundles.apply([], { prune: ['gone'] })).toMatchObject({ failure: null });
    expect((await shown()).status).toBe(404);
  });

  it('is deleted with all that its bundle has, in an order that works', async () => {
    const own = [
      document('Workspace', 'ws-gone', { name: 'Gone' }, 'gone'),
      document('Provider', 'mine', { workspace: 'ws-gone', integration: 'mock', name: 'Mine' }, 'gone'),
      document(
        'Config',
        'pc-gone',
        { workspace: 'ws-gone', name: 'Gone', config: { provider: '@mine' } },
        'gone',
      ),
      document(
        'ApiKey',
        'gone',
        { workspace: 'ws-gone', name: 'Gone', scopes: ['logs.list'], config: 'pc-gone' },
        'gone',
      ),
    ];
    expect(await bundles.apply(own)).toMatchObject({ failure: null, applied: { length: 4 } });
    expect(await bundles.apply([], { prune: ['gone'] })).toMatchObject({
      failure: null,
      applied: { length: 4 },
    });
    expect((await app.rest('GET', '/v1/configs/pc-gone', { key: app.adminKey })).status).toBe(404);
  });
});

describe('a refusal', () => {
  const refused = async (wrong: unknown, param: string, more: object = {}) => {
    const before = await bundles.exportText();
    const documents = [document('Workspace', 'ws-never', { name: 'Never' }), wrong];
    const error = await bundles.refusedApply(documents, { secrets, ...more });
    expect(error?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: `input.documents[1]${param}`,
    });
    expect(error?.message).toMatch(/^Document 2/);
    expect(await bundles.exportText()).toBe(before);
    return error;
  };
  const integration = (spec: object) =>
    document('Integration', 'other', { name: 'Other', aiProviderId: 'openai', ...spec });

  it.each<[string, unknown, string]>([
    ['what is no document', 7, ''],
    ['an unknown kind', document('Spaceship', 'one', {}), '.kind'],
    [
      'an unknown version',
      { ...document('Workspace', 'ws-x', { name: 'X' }), apiVersion: 'v0' },
      '.apiVersion',
    ],
    ['an unknown member', document('Workspace', 'ws-x', { name: 'X', colour: 'red' }), '.spec.colour'],
    ['a missing member', document('Workspace', 'ws-x', {}), '.spec.name'],
    ['a slug twice', document('Workspace', 'ws-never', { name: 'Again' }), '.metadata.slug'],
    [
      'a slug that cannot be',
      document('Config', 'routes', { workspace: 'default', name: 'R', config: {} }),
      '.metadata.slug',
    ],
    [
      'an unknown workspace',
      document('ApiKey', 'k', { workspace: 'ws-nowhere', name: 'K', scopes: ['logs.list'] }),
      '.spec.workspace',
    ],
    [
      'an unknown integration',
      document('Provider', 'p', { workspace: 'default', integration: 'none', name: 'P' }),
      '.spec.integration',
    ],
    [
      'an unknown role',
      document('AccessPolicy', 'p', { principal: 'ada@example.com', role: 'captain' }),
      '.spec.role',
    ],
    [
      'an unknown provider of a config',
      document('Config', 'pc-x', {
        workspace: 'default',
        name: 'X',
        config: { strategy: { mode: 'fallback' }, targets: [{ provider: '@none' }] },
      }),
      '.spec.config.targets[0].provider',
    ],
    [
      'a config that is none',
      document('Config', 'pc-x', { workspace: 'default', name: 'X', config: { retry: { attempts: 99 } } }),
      '.spec.config',
    ],
    [
      'a check that there is not',
      document('Guardrail', 'gr-x', { name: 'X', checks: [{ id: 'default.wordCount' }, { id: 'none' }] }),
      '.spec.checks[1].id',
    ],
    [
      'a parameter that cannot be',
      document('Guardrail', 'gr-x', {
        name: 'X',
        checks: [{ id: 'default.regexMatch', parameters: { rule: '(' } }],
      }),
      '.spec.checks[0].parameters.rule',
    ],
    [
      'feedback of a half',
      document('Guardrail', 'gr-x', {
        name: 'X',
        checks: [{ id: 'default.wordCount' }],
        actions: { onFail: { feedback: { value: -2.5 } } },
      }),
      '.spec.actions.onFail.feedback.value',
    ],
    ['an unknown provider kind', integration({ aiProviderId: 'nobody' }), '.spec.aiProviderId'],
    ['an unknown setting', integration({ configurations: { colour: 'red' } }), '.spec.configurations.colour'],
    ['a secret without a value', integration({ key: { env: 'NOT_GIVEN' } }), '.spec.key'],
    [
      'a workspace that cannot change',
      document('Config', 'pc-routes', {
        workspace: 'default',
        name: 'Routes',
        config: { retry: { attempts: 1 } },
      }),
      '.spec.workspace',
    ],
    [
      "another bundle's resource",
      document('Role', 'reader', { name: 'Reader', permissions: ['configs.read'] }, 'theirs'),
      '.metadata.bundle',
    ],
  ])('of %s names document and member, and nothing happens', async (_what, wrong, param) => {
    await refused(wrong, param);
  });

  it('of a secret in clear does not repeat it, in the answer or the audit trail', async () => {
    const planted = 'sk-planted-in-clear-0123456789';
    for (const [spec, param] of [
      [{ key: planted }, '.spec.key'],
      [
        { configurations: { custom_headers: { authorization: planted } } },
        '.spec.configurations.custom_headers.authorization',
      ],
    ] as const)
      expect(JSON.stringify(await refused(integration(spec), param))).not.toContain(planted);
    const checks = [
      {
        id: 'default.webhook',
        parameters: { webhookURL: 'https://j.example/', headers: { 'x-a': planted } },
      },
    ];
    const ofGuardrail = document('Guardrail', 'gr-x', { name: 'X', checks });
    expect(
      JSON.stringify(await refused(ofGuardrail, '.spec.checks[0].parameters.headers.x-a')),
    ).not.toContain(planted);
    const config = { targets: [{ provider: 'openai', api_key: planted }] };
    const inConfig = document('Config', 'pc-x', { workspace: 'default', name: 'X', config });
    expect(JSON.stringify(await refused(inConfig, '.spec.config.targets[0].api_key'))).not.toContain(planted);
    expect(JSON.stringify(await auditRows(app, {}))).not.toContain(planted);
  });

  it('of too many documents comes before anything is read', async () => {
    const error = await bundles.refusedPlan(Array(5001).fill(1));
    expect(error?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', param: 'input.documents' });
  });

  it('of a secret that is no text names it', async () => {
    const error = await bundles.refusedApply([], { secrets: { 'env:A': 7 } });
    expect(error?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', param: 'input.secrets.env:A' });
  });
});

describe('a credential', () => {
  it('is needed', async () => {
    const { status, body } = await app.rest('POST', '/graphql', {
      key: null,
      body: { query: '{ exportBundle { leftOut } }' },
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    });
  });

  it('exports the kinds that it may list, and is told of the others', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['workspaces.list'] });
    const { data } = await app.graphql('{ exportBundle { documents leftOut } }', {}, key);
    expect(new Set(data.exportBundle.documents.map(({ kind }: any) => kind))).toEqual(new Set(['Workspace']));
    expect(data.exportBundle.leftOut).toHaveLength(12);
    const asked = await app.graphql('{ exportBundle(kinds: [Config]) { leftOut } }', {}, key);
    expect(asked.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('that may read and not write stops at the first change, and nothing is different', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['workspaces.list', 'workspaces.read'] });
    const before = await bundles.exportText('(kinds: [Workspace])');
    const input = { documents: [document('Workspace', 'ws-not-mine', { name: 'No' })] };
    const { data } = await app.graphql(
      'mutation ($input: ApplyBundleInput!) { applyBundle(input: $input) { applied { slug } remaining failure { code } } }',
      { input },
      key,
    );
    expect(data.applyBundle).toEqual({ applied: [], remaining: 1, failure: { code: 'FORBIDDEN' } });
    expect(await bundles.exportText('(kinds: [Workspace])')).toBe(before);
  });

  it('of a neighbour sees and touches nothing', async () => {
    const neighbour = await app.createTenant();
    const theirs = bundlesOf(app, await app.token(neighbour));
    expect(await theirs.exportText()).not.toContain('ws-search');
    const before = await bundles.exportText();
    expect((await theirs.plan([], { prune: ['platform'] })).changes).toEqual([]);
    expect(await theirs.apply(team, { secrets })).toMatchObject({ failure: null, remaining: 0 });
    expect(await bundles.exportText()).toBe(before);
  });
});
