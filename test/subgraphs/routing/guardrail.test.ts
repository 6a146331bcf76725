import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess, type Setting } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: { id: string; slug: string };
const setting = (): Setting => ({ app, neighbour });

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await create({ name: 'Subject' });
});
afterAll(() => app.stop());

const fewWords = { id: 'default.wordCount', parameters: { maxWords: 5 } };
const shownFewWords = { ...fewWords, name: null, isEnabled: true };
const observing = {
  ...{ deny: false, async: false, sequential: false, softDeny_200: false },
  ...{ onSuccess: null, onFail: null, scope: null, stream: null, onUnreadable: null },
};
const feedback = 'feedback { value weight metadata }';
const fields = `id object slug name organisationId workspaceId status versionId ownerId updatedBy
  checks { id name parameters isEnabled }
  actions { deny async sequential softDeny_200 onSuccess { ${feedback} } onFail { ${feedback} } scope stream onUnreadable }`;
const createDocument = `mutation ($input: CreateGuardrailInput!) { createGuardrail(input: $input) { ${fields} } }`;
const tryCreate = (input: object, key = app.workspaceKey) =>
  app.graphql(createDocument, { input: { name: 'x', checks: [fewWords], ...input } }, key);
const create = async (input: object, key?: string) => dataOf(await tryCreate(input, key)).createGuardrail;
const read = (id: string, key = app.workspaceKey) =>
  app.graphql(
    `query ($id: ID!) { guardrail(id: $id) { ${fields} usedBy { kind id }
      versions { id number name checks { parameters } actions { deny } createdBy } } }`,
    { id },
    key,
  );
const tryUpdate = (id: string, input: object, key = app.workspaceKey) =>
  app.graphql(
    `mutation ($id: ID!, $input: UpdateGuardrailInput!) { updateGuardrail(id: $id, input: $input) { ${fields} } }`,
    { id, input },
    key,
  );
const update = async (id: string, input: object) => dataOf(await tryUpdate(id, input)).updateGuardrail;
const remove = (id: string, key = app.workspaceKey) =>
  app.graphql('mutation ($id: ID!) { deleteGuardrail(id: $id) }', { id }, key);
const setDefaults = (defaults: object | null) =>
  app.graphql(
    'mutation ($id: ID!, $defaults: JSON) { updateWorkspace(id: $id, input: { defaults: $defaults }) { defaults } }',
    { id: app.workspaceId, defaults },
    app.workspaceKey,
  );

const missing = 'GUARDRAIL_NOT_FOUND';
describeAccess(setting, 'workspace-service', {
  createGuardrail: {
    document: createDocument,
    variables: () => ({ input: { name: 'x', checks: [fewWords] } }),
    scopes: ['guardrails.create'],
    audit: 'guardrail.create',
  },
  guardrail: {
    document: 'query ($id: ID!) { guardrail(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['guardrails.read'],
    addressed: true,
    missing,
  },
  guardrails: { document: '{ guardrails { total } }', scopes: ['guardrails.list'] },
  guardrailVersions: {
    document: 'query ($id: ID!) { guardrailVersions(guardrailId: $id) { total } }',
    variables: () => ({ id: subject.slug }),
    scopes: ['guardrails.read'],
    addressed: true,
    missing,
  },
  updateGuardrail: {
    document: 'mutation ($id: ID!) { updateGuardrail(id: $id, input: { name: "changed" }) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['guardrails.update'],
    audit: 'guardrail.update',
    addressed: true,
    missing,
  },
  restoreGuardrailVersion: {
    document: 'mutation ($id: ID!) { restoreGuardrailVersion(id: $id, versionId: "none") { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['guardrails.update'],
    audit: 'guardrail.update',
    addressed: true,
    missing,
  },
  deleteGuardrail: {
    document: 'mutation ($id: ID!) { deleteGuardrail(id: $id) }',
    variables: () => ({ id: subject.id }),
    scopes: ['guardrails.delete'],
    audit: 'guardrail.delete',
    addressed: true,
    missing,
  },
});

describe('a guardrail', () => {
  it('is made, changed with a version each time, and deleted with its versions', async () => {
    const made = await create({ name: 'Few words' });
    expect(made).toMatchObject({
      object: 'guardrail',
      slug: expect.stringMatching(/^gr-few-words-[0-9a-f]{6}$/),
      organisationId: app.organisationId,
      workspaceId: app.workspaceId,
      status: 'active',
      checks: [shownFewWords],
      actions: observing,
    });
    const more = [{ ...fewWords, parameters: { maxWords: 9 }, name: 'Short', isEnabled: false }, fewWords];
    const changed = await update(made.slug, { checks: more, name: 'Second' });
    expect(changed).toMatchObject({ id: made.id, name: 'Second', checks: [more[0], shownFewWords] });
    expect(changed.versionId).not.toBe(made.versionId);
    // The actions alone: the checks stay.
    const denying = await update(made.id, { actions: { deny: true } });
    expect(denying).toMatchObject({ checks: changed.checks, actions: { ...observing, deny: true } });
    // The same again, a name and a status make no version.
    const archived = await update(made.id, { checks: more, name: 'Third', status: 'archived' });
    expect(archived).toMatchObject({ status: 'archived', versionId: denying.versionId });
    const { versions } = dataOf(await read(made.id)).guardrail;
    expect(versions).toMatchObject([
      { id: denying.versionId, number: 3, name: 'Second', actions: { deny: true } },
      { id: changed.versionId, number: 2, name: 'Second', createdBy: made.ownerId },
      { id: made.versionId, number: 1, name: 'Few words', checks: [{ parameters: { maxWords: 5 } }] },
    ]);

    expect(dataOf(await remove(made.slug)).deleteGuardrail).toBe(made.id);
    expect(errorOf(await read(made.id)).code).toBe(missing);
    expect(await app.db.collection('guardrail_versions').countDocuments({ guardrailId: made.id })).toBe(0);
    const rows = await auditRows(app, { resourceType: 'guardrail', targetId: made.id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'update', 'delete']);
    expect(rows[1]?.changes).toContainEqual({
      ...{ member: 'versionId', before: made.versionId, after: changed.versionId },
    });
  });

  it('keeps all of its actions', async () => {
    const actions = {
      ...{ deny: true, async: false, sequential: true, softDeny_200: true },
      onSuccess: { feedback: { value: 3, weight: 0.5, metadata: { team: 'safety' } } },
      onFail: { feedback: { metadata: 'text' } },
      ...{ scope: 'all', stream: 'hold', onUnreadable: 'deny' },
    };
    const made = await create({ actions });
    const onFail = { feedback: { value: -5, weight: 1, metadata: 'text' } };
    expect(made.actions).toEqual({ ...actions, onFail });
    expect((await create({ actions: { onSuccess: { feedback: {} } } })).actions.onSuccess).toEqual({
      feedback: { value: 5, weight: 1, metadata: null },
    });
  });

  it('gets an older content back as a new version', async () => {
    const made = await create({ name: 'Old' });
    await update(made.id, { checks: [{ id: 'default.alllowercase' }], actions: { deny: true } });
    const restore = (versionId: string) =>
      app.graphql(
        `mutation ($id: ID!, $versionId: ID!) { restoreGuardrailVersion(id: $id, versionId: $versionId) { ${fields} } }`,
        { id: made.id, versionId },
        app.workspaceKey,
      );
    const { restoreGuardrailVersion: restored } = dataOf(await restore(made.versionId));
    expect(restored).toMatchObject({ checks: made.checks, actions: made.actions });
    expect(dataOf(await read(made.id)).guardrail.versions[0]).toMatchObject({
      ...{ id: restored.versionId, number: 3 },
    });
    expect(errorOf(await restore(subject.id))).toEqual({ code: 'NOT_FOUND', param: 'versionId' });
  });

  it('is not changed from a version that is not the present one', async () => {
    const made = await create({ name: 'Expected' });
    const input = { checks: [{ id: 'default.alllowercase' }], expectedVersionId: made.versionId };
    expect((await update(made.id, input)).versionId).not.toBe(made.versionId);
    const refused = await tryUpdate(made.id, { ...input, checks: [fewWords] });
    expect(errorOf(refused)).toEqual({ code: 'PRECONDITION_FAILED', param: 'input.expectedVersionId' });
  });

  it.each([
    ['a check that there is not', { checks: [{ id: 'default.nonsense' }] }, 'checks[0].id'],
    [
      'a parameter of the wrong type',
      { checks: [fewWords, { id: 'default.wordCount', parameters: { maxWords: 'many' } }] },
      'checks[1].parameters.maxWords',
    ],
    [
      'parameters that contradict each other',
      { checks: [{ id: 'default.wordCount', parameters: { minWords: 6, maxWords: 5 } }] },
      'checks[0].parameters',
    ],
    [
      'a pattern that cannot be read',
      { checks: [{ id: 'default.regexMatch', parameters: { rule: '(' } }] },
      'checks[0].parameters.rule',
    ],
    [
      'edits that nobody waits for',
      { checks: [{ id: 'default.regexReplace', parameters: { rule: 'a' } }], actions: { async: true } },
      'checks[0]',
    ],
    [
      'checks of which some are for input only, and some for output only',
      {
        checks: [
          { id: 'default.modelWhitelist', parameters: { models: ['m'] } },
          { id: 'default.jsonKeys', parameters: { keys: ['k'] } },
        ],
      },
      'checks',
    ],
    ['no check at all', { checks: [] }, 'checks'],
    [
      'feedback out of bounds',
      { actions: { onFail: { feedback: { value: 11 } } } },
      'actions.onFail.feedback.value',
    ],
    [
      'more than fits',
      { checks: [{ id: 'default.contains', parameters: { words: ['w'.repeat(300_000)] } }] },
      'checks',
    ],
    ['a slug with spaces', { slug: 'a b' }, 'slug'],
    ['a workspace that there is not', { workspaceId: 'nowhere' }, 'workspace_id'],
  ])('is refused with %s, and the place is named', async (_what, input, param) => {
    const before = await dumpResources(app);
    const refused = errorOf(await tryCreate({ workspaceId: app.workspaceId, ...input }, app.adminKey));
    expect({ ...refused, param: refused.param?.replace(/^input\./, '') }).toEqual({
      ...{ code: 'VALIDATION_FAILED', param },
    });
    expect(await dumpResources(app)).toBe(before);
  });

  it('has a slug that no other has in the organisation, whatever the workspace', async () => {
    await create({ slug: 'mine' });
    expect(errorOf(await tryCreate({ slug: 'mine' }))).toMatchObject({
      code: 'ALREADY_EXISTS',
      param: 'slug',
    });
    const ofOrganisation = { slug: 'mine', organisationId: app.organisationId };
    expect(errorOf(await tryCreate(ofOrganisation, app.adminKey)).code).toBe('ALREADY_EXISTS');
    expect(await app.db.collection('guardrail_versions').countDocuments({ name: 'x', number: 1 })).toBe(
      await app.db.collection('guardrails').countDocuments({ name: 'x' }),
    );
    expect((await create({ slug: 'mine' }, neighbour.workspaceKey)).slug).toBe('mine');
  });
});

describe('guardrails of the organisation', () => {
  it('are reached here only by who holds the scopes for them', async () => {
    const limited = await makeKey(app, 'organisation-service', {
      without: ['create', 'read', 'list', 'update', 'delete'].map(
        (verb) => `organisation_guardrails.${verb}`,
      ),
    });
    const made = await create({ name: 'Common', organisationId: app.organisationId }, app.adminKey);
    expect(made.workspaceId).toBeNull();
    const idsFor = async (key: string) =>
      dataOf(await app.graphql('{ guardrails { data { id } } }', {}, key)).guardrails.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsFor(app.adminKey)).toContain(made.id);
    for (const key of [limited, app.workspaceKey]) {
      expect(await idsFor(key)).not.toContain(made.id);
      expect(errorOf(await read(made.id, key)).code).toBe(missing);
      expect(errorOf(await tryUpdate(made.id, { name: 'y' }, key)).code).toBe(missing);
      expect(errorOf(await remove(made.id, key)).code).toBe(missing);
    }
    const refused = await tryCreate({ organisationId: app.organisationId }, limited);
    expect(errorOf(refused)).toEqual({ code: 'VALIDATION_FAILED', param: 'workspace_id' });
    const other = await tryCreate({ organisationId: neighbour.organisationId }, app.adminKey);
    expect(errorOf(other)).toEqual({ code: 'FORBIDDEN', param: 'input.organisationId' });
  });
});

describe('a guardrail of which a workspace makes a default', () => {
  it('is neither deleted nor archived, nor changed into what cannot be used there', async () => {
    const made = await create({ name: 'Default' });
    expect(dataOf(await setDefaults({ input_guardrails: [made.slug] })).updateWorkspace.defaults).toEqual({
      input_guardrails: [made.slug],
    });
    const user = { kind: 'workspace', id: app.workspaceId };
    expect(dataOf(await read(made.id)).guardrail.usedBy).toEqual([user]);
    expect(errorOf(await remove(made.id)).code).toBe('IN_USE');
    expect(errorOf(await tryUpdate(made.id, { status: 'archived' })).code).toBe('IN_USE');
    const forOutput = [{ id: 'default.jsonKeys', parameters: { keys: ['k'] } }];
    expect(errorOf(await tryUpdate(made.id, { checks: forOutput }))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.checks[0].id',
    });
    expect(dataOf(await setDefaults(null)).updateWorkspace.defaults).toBeNull();
    expect((await update(made.id, { checks: forOutput })).checks).toMatchObject(forOutput);
    expect(errorOf(await setDefaults({ input_guardrails: [made.id] }))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.defaults.input_guardrails[0]',
    });
    dataOf(await setDefaults({ output_guardrails: [made.id] }));
    dataOf(await setDefaults({}));
    expect(dataOf(await remove(made.id)).deleteGuardrail).toBe(made.id);
  });

  it('is an active one of that workspace', async () => {
    const common = await create({ organisationId: app.organisationId }, app.adminKey);
    const archived = await create({});
    await update(archived.id, { status: 'archived' });
    const others = await create({}, neighbour.workspaceKey);
    for (const name of [common.id, archived.slug, others.id, 'none']) {
      expect(errorOf(await setDefaults({ output_guardrails: [subject.id, name] }))).toEqual({
        code: 'VALIDATION_FAILED',
        param: 'input.defaults.output_guardrails[1]',
      });
    }
    for (const wrong of ['text', [1], Array(51).fill(subject.id)])
      expect(errorOf(await setDefaults({ input_guardrails: wrong })).param).toBe(
        'input.defaults.input_guardrails',
      );
  });
});

describe('the catalogue of checks', () => {
  it('says what each kind takes, in the form of JSON Schema', async () => {
    const { guardrailChecks } = dataOf(
      await app.graphql('{ guardrailChecks { id description phases isRemote parameters } }'),
    );
    expect(guardrailChecks.length).toBeGreaterThan(10);
    const words = guardrailChecks.find(({ id }: { id: string }) => id === 'default.wordCount');
    expect(words).toMatchObject({
      ...{ phases: ['input', 'output'], isRemote: false },
      parameters: { type: 'object', properties: { maxWords: { type: 'integer', default: 99_999 } } },
    });
  });
});
