import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess, type Setting } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: { id: string; slug: string };
let second: { id: string; slug: string };
const setting = (): Setting => ({ app, neighbour });

const checks = [{ id: 'default.wordCount' }];
const createDocument = `mutation ($input: CreateOrganisationGuardrailInput!) {
  createOrganisationGuardrail(input: $input) { id slug name workspaceId versionId } }`;
const create = async (input: object) =>
  dataOf(await app.graphql(createDocument, { input: { name: 'x', checks, ...input } }))
    .createOrganisationGuardrail;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await create({ name: 'Subject' });
  second = await create({ name: 'Second' });
});
afterAll(() => app.stop());

describeAccess(setting, 'organisation-service', {
  createOrganisationGuardrail: {
    document: createDocument,
    variables: () => ({ input: { name: 'x', checks } }),
    scopes: ['organisation_guardrails.create'],
    audit: 'guardrail.create',
  },
  organisationGuardrail: {
    document: 'query ($id: ID!) { organisationGuardrail(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_guardrails.read'],
    addressed: true,
  },
  organisationGuardrails: {
    document: '{ organisationGuardrails { total } }',
    scopes: ['organisation_guardrails.list'],
  },
  updateOrganisationGuardrail: {
    document: 'mutation ($id: ID!) { updateOrganisationGuardrail(id: $id, input: { name: "y" }) { id } }',
    variables: () => ({ id: subject.slug }),
    scopes: ['organisation_guardrails.update'],
    audit: 'guardrail.update',
    addressed: true,
  },
  deleteOrganisationGuardrail: {
    document: 'mutation ($id: ID!) { deleteOrganisationGuardrail(id: $id) }',
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_guardrails.delete'],
    audit: 'guardrail.delete',
    addressed: true,
  },
  organisationDefaults: {
    document: '{ organisationDefaults { inputGuardrails { id } } }',
    scopes: ['organisation_settings.read'],
  },
  updateOrganisationDefaults: {
    document: 'mutation { updateOrganisationDefaults(input: { inputGuardrails: [] }) { __typename } }',
    scopes: ['organisation_settings.update'],
    audit: 'organisation.update',
  },
  guardrailExclusions: {
    document: '{ guardrailExclusions(phase: input) { total } }',
    scopes: ['organisation_exclusions.list'],
  },
  updateGuardrailExclusions: {
    document: 'mutation { updateGuardrailExclusions(phase: input, input: { workspaces: [] }) }',
    scopes: ['organisation_exclusions.update'],
    audit: 'guardrail_exclusion.update',
  },
});

const updateDefaults = (input: object, key?: string) =>
  app.graphql(
    `mutation ($input: UpdateOrganisationDefaultsInput!) { updateOrganisationDefaults(input: $input) {
      inputGuardrails { id } outputGuardrails { id } } }`,
    { input },
    key,
  );
const defaultsAfter = async (input: object) => {
  const { inputGuardrails, outputGuardrails } = dataOf(
    await updateDefaults(input),
  ).updateOrganisationDefaults;
  const idsOf = (all: { id: string }[]) => all.map(({ id }) => id);
  return { input: idsOf(inputGuardrails), output: idsOf(outputGuardrails) };
};
const remove = (id: string) =>
  app.graphql('mutation ($id: ID!) { deleteOrganisationGuardrail(id: $id) }', { id });

describe('what an organisation enforces', () => {
  it('is named by ids and slugs, each list by itself, and its order stays', async () => {
    const both = [second.slug, subject.id];
    expect(await defaultsAfter({ inputGuardrails: [...both, second.id] })).toEqual({
      ...{ input: [second.id, subject.id], output: [] },
    });
    expect(await defaultsAfter({ outputGuardrails: [subject.slug] })).toEqual({
      ...{ input: [second.id, subject.id], output: [subject.id] },
    });
    const [row] = (await auditRows(app, { resourceType: 'organisation', outcome: 'success' })).slice(-1);
    expect(row).toMatchObject({ action: 'update', targetId: app.organisationId });
    expect(row?.changes).toEqual([
      { member: 'settings.defaultGuardrails.output', before: null, after: [subject.id] },
    ]);
    expect(await defaultsAfter({ inputGuardrails: [], outputGuardrails: [] })).toEqual({
      input: [],
      output: [],
    });
  });

  it('is neither deleted nor archived, nor changed into what cannot be enforced', async () => {
    await defaultsAfter({ inputGuardrails: [subject.id] });
    const change = (input: object) =>
      app.graphql(
        'mutation ($id: ID!, $input: UpdateGuardrailInput!) { updateOrganisationGuardrail(id: $id, input: $input) { id } }',
        { id: subject.id, input },
      );
    const before = await dumpResources(app);
    expect(errorOf(await remove(subject.slug)).code).toBe('IN_USE');
    expect(errorOf(await change({ status: 'archived' })).code).toBe('IN_USE');
    const forOutput = [{ id: 'default.jsonKeys', parameters: { keys: ['k'] } }];
    expect(errorOf(await change({ checks: forOutput })).param).toBe('input.checks[0].id');
    expect(await dumpResources(app)).toBe(before);
    await defaultsAfter({ inputGuardrails: [] });
  });

  it('is an active guardrail of the organisation that fits the phase', async () => {
    const ofWorkspace = await app.graphql(
      'mutation { createGuardrail(input: { name: "w", checks: [{ id: "default.wordCount" }] }) { id } }',
      {},
      app.workspaceKey,
    );
    const forOutput = await create({ checks: [{ id: 'default.jsonKeys', parameters: { keys: ['k'] } }] });
    const wrong = [dataOf(ofWorkspace).createGuardrail.id, forOutput.id, 'none'];
    for (const id of wrong)
      expect(errorOf(await updateDefaults({ inputGuardrails: [subject.id, id] }))).toEqual({
        code: 'VALIDATION_FAILED',
        param: 'input.inputGuardrails[1]',
      });
    expect(errorOf(await updateDefaults({ inputGuardrails: [subject.id] }, neighbour.adminKey)).param).toBe(
      'input.inputGuardrails[0]',
    );
    expect(await defaultsAfter({ outputGuardrails: [forOutput.id] })).toEqual({
      ...{ input: [], output: [forOutput.id] },
    });
  });
});

describe('exclusions of workspaces', () => {
  const update = (input: object, phase = 'input') =>
    app.graphql(
      `mutation ($phase: GuardrailPhase!, $input: UpdateGuardrailExclusionsInput!) {
        updateGuardrailExclusions(phase: $phase, input: $input) }`,
      { phase, input },
    );
  const listed = async (phase = 'input') =>
    dataOf(
      await app.graphql(
        `query ($phase: GuardrailPhase!) { guardrailExclusions(phase: $phase) { total
          data { workspaceId workspace { id } excluded excludedBy createdAt } } }`,
        { phase },
      ),
    ).guardrailExclusions;
  const workspace = async () =>
    dataOf(await app.graphql('mutation { createWorkspace(input: { name: "Exempt" }) { id slug } }'))
      .createWorkspace;

  it('are merged, or replaced, for one phase alone, and keep who made them and when', async () => {
    const [one, two] = [await workspace(), await workspace()];
    expect(dataOf(await update({ workspaces: [{ workspaceId: one.slug, excluded: true }] }))).toEqual({
      updateGuardrailExclusions: 1,
    });
    const [made] = (await listed()).data;
    expect(made).toMatchObject({ workspaceId: one.id, workspace: { id: one.id }, excluded: true });
    expect(Date.parse(made.createdAt)).toBeGreaterThan(0);
    expect(made.excludedBy).not.toBe('');
    const more = [
      { workspaceId: two.id, excluded: true },
      { workspaceId: one.id, excluded: true },
    ];
    dataOf(await update({ workspaces: more, organisationId: app.organisationId }));
    expect((await listed()).data).toContainEqual(made);
    expect(await listed()).toMatchObject({ total: 2 });
    expect(await listed('output')).toEqual({ total: 0, data: [] });
    dataOf(await update({ workspaces: [{ workspaceId: two.id, excluded: false }] }));
    expect((await listed()).data).toEqual([made]);
    dataOf(await update({ workspaces: [{ workspaceId: two.id, excluded: true }], overrideExisting: true }));
    expect((await listed()).data).toMatchObject([{ workspaceId: two.id }]);
    const rows = await auditRows(app, { resourceType: 'guardrail_exclusion', outcome: 'success' });
    expect(rows).toHaveLength(4);
    expect(JSON.parse(rows[0]?.requestBody)).toMatchObject({
      ...{ phase: 'input', input: { workspaces: [{ workspaceId: one.slug, excluded: true }] } },
    });
    // It is gone with its workspace.
    dataOf(await app.graphql('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id: two.id }));
    expect(await listed()).toEqual({ total: 0, data: [] });
  });

  it('are refused for a workspace that there is not, and for one that is named twice', async () => {
    const { id, slug } = await workspace();
    const before = await dumpResources(app);
    for (const workspaceId of ['none', neighbour.workspaceId, slug]) {
      const workspaces = [id, workspaceId].map((each) => ({ workspaceId: each, excluded: true }));
      expect(errorOf(await update({ workspaces }))).toEqual({
        code: 'VALIDATION_FAILED',
        param: 'input.workspaces[1].workspaceId',
      });
    }
    const ofOthers = { organisationId: neighbour.organisationId, workspaces: [] };
    expect(errorOf(await update(ofOthers)).code).toBe('FORBIDDEN');
    expect(await dumpResources(app)).toBe(before);
  });
});
