import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { bodyOf, id, refusalOf, time } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.workspaceKey) =>
  app.rest(method, `/v1${path}`, { key, body });
const asAdmin = (method: string, path: string, body?: unknown) => call(method, path, body, app.adminKey);

const actions = {
  deny: true,
  async: false,
  on_success: { feedback: { value: 5, weight: 1, metadata: '' } },
  on_fail: { feedback: { value: -5, weight: 1, metadata: '' } },
};
const checks = [{ id: 'default.wordCount', parameters: { maxWords: 5 }, name: 'Short', is_enabled: true }];
const shownActions = {
  ...actions,
  ...{ sequential: false, soft_deny_200: false, scope: null, stream: null, on_unreadable: null },
};

const rowOf = (made: { id: string }, name: string) => ({
  ...{ id: made.id, name, slug: expect.stringMatching(/^gr-/), organisation_id: app.organisationId },
  ...{ status: 'active', owner_id: id, updated_by: id, created_at: time, last_updated_at: time },
});

describe('/v1/guardrails', () => {
  it('makes, reads, lists, updates and deletes', async () => {
    const made = bodyOf(await call('POST', '/guardrails', { name: 'Mine', checks, actions }));
    expect(made).toEqual({ id, slug: expect.stringMatching(/^gr-mine-/), version_id: id });
    const row = { ...rowOf(made, 'Mine'), workspace_id: app.workspaceId };
    expect(bodyOf(await call('GET', '/guardrails'))).toEqual({ data: [row], total: 1 });
    expect(bodyOf(await call('GET', `/guardrails?ids=${made.slug},none`)).total).toBe(1);
    expect(bodyOf(await call('GET', '/guardrails?ids=none')).total).toBe(0);
    const shown = { ...row, checks, actions: shownActions, version_id: made.version_id };
    expect(bodyOf(await call('GET', `/guardrails/${made.slug}`))).toEqual(shown);
    const changed = { name: 'Ours', actions: { soft_deny_200: true, on_unreadable: 'deny' } };
    const updated = bodyOf(await call('PUT', `/guardrails/${made.id}`, changed));
    expect(updated).toEqual({ id: made.id, slug: made.slug, version_id: id });
    expect(bodyOf(await call('GET', `/guardrails/${made.id}`))).toMatchObject({
      ...{ name: 'Ours', checks, version_id: updated.version_id },
      actions: { deny: false, soft_deny_200: true, on_fail: null, on_unreadable: 'deny' },
    });
    expect(bodyOf(await call('DELETE', `/guardrails/${made.slug}`))).toEqual({});
  });

  it('tells of an unknown guardrail as of one that is out of reach', async () => {
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
      expect(refusalOf(await call(method, '/guardrails/none', body))).toMatchObject({
        ...{ status: 403, code: 'AB03' },
      });
  });

  it.each([
    ['no name', { checks }, 'name'],
    ['no checks', { name: 'x' }, 'checks'],
    ['an unknown check', { name: 'x', checks: [{ id: 'none' }] }, 'checks[0].id'],
    [
      'a wrong parameter',
      { name: 'x', checks: [{ id: 'default.wordCount', parameters: { maxWords: 'a' } }] },
      'checks[0].parameters.maxWords',
    ],
    ['a wrong action', { name: 'x', checks, actions: { soft_deny_200: 1 } }, 'actions.soft_deny_200'],
    [
      'feedback out of bounds',
      { name: 'x', checks, actions: { on_fail: { feedback: { value: -11 } } } },
      'actions.on_fail.feedback.value',
    ],
  ])('refuses %s and names the place', async (_what, body, param) => {
    expect(refusalOf(await call('POST', '/guardrails', body))).toMatchObject({
      ...{ status: 400, code: 'AB01', param },
    });
  });
});

describe('/v1/org-guardrails', () => {
  it('makes, reads, lists, updates and deletes', async () => {
    const made = bodyOf(await asAdmin('POST', '/org-guardrails', { name: 'Common', checks, actions }));
    expect(made).toEqual({ id, slug: expect.stringMatching(/^gr-common-/), version_id: id });
    const row = rowOf(made, 'Common');
    expect(bodyOf(await asAdmin('GET', '/org-guardrails'))).toEqual({ data: [row], total: 1 });
    expect(bodyOf(await asAdmin('GET', `/org-guardrails/${made.slug}`))).toEqual({
      ...{ ...row, checks, actions: shownActions, version_id: made.version_id },
    });
    const updated = bodyOf(await asAdmin('PUT', `/org-guardrails/${made.id}`, { actions: { deny: false } }));
    expect(updated.version_id).not.toBe(made.version_id);
    expect(bodyOf(await asAdmin('DELETE', `/org-guardrails/${made.id}`))).toEqual({});
    expect(refusalOf(await asAdmin('GET', `/org-guardrails/${made.id}`))).toMatchObject({
      ...{ status: 404, code: 'AB08' },
    });
  });

  it('keeps what the organisation enforces', async () => {
    const made = bodyOf(await asAdmin('POST', '/org-guardrails', { name: 'Common', checks }));
    const lists = { input_guardrails: [made.slug], output_guardrails: [made.id] };
    expect(bodyOf(await asAdmin('PUT', '/admin/organisation/defaults', lists))).toEqual({});
    const named = [{ id: made.id, slug: made.slug }];
    expect(bodyOf(await asAdmin('GET', '/admin/organisation/defaults'))).toEqual({
      ...{ input_guardrails: named, output_guardrails: named },
    });
    expect(refusalOf(await asAdmin('DELETE', `/org-guardrails/${made.id}`))).toMatchObject({
      ...{ status: 409, code: 'AB07' },
    });
    const unknown = { input_guardrails: ['none'] };
    expect(refusalOf(await asAdmin('PUT', '/admin/organisation/defaults', unknown))).toMatchObject({
      ...{ status: 400, param: 'input_guardrails[0]' },
    });
  });
});

describe('/v1/workspace-exclusions', () => {
  it.each(['input', 'output'])('excludes workspaces from %s guardrails', async (phase) => {
    const path = `/workspace-exclusions/${phase}-guardrails`;
    const excluded = (state: boolean) => ({
      workspaces: [{ workspace_id: app.workspaceId, excluded: state }],
    });
    expect(bodyOf(await asAdmin('PUT', path, excluded(true)))).toEqual({});
    const row = { workspace_id: app.workspaceId, excluded: true, excluded_by: id, created_at: time };
    expect(bodyOf(await asAdmin('GET', `${path}?organisation_id=${app.organisationId}`))).toEqual({
      ...{ object: 'list', total: 1, data: [row] },
    });
    expect(bodyOf(await asAdmin('PUT', path, { ...excluded(false), override_existing: false }))).toEqual({});
    expect(bodyOf(await asAdmin('GET', path)).total).toBe(0);
    expect(refusalOf(await asAdmin('PUT', path, { workspaces: [{ excluded: true }] })).status).toBe(400);
    expect(refusalOf(await call('GET', path)).status).toBe(403);
  });
});
