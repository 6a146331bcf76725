import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const scopes = ['logs.list', 'logs.view'];
const create = (path: string, body: object, key = app.adminKey) =>
  app.rest('POST', `/v1/api-keys/${path}`, { key, body });

describe('/v1/api-keys', () => {
  it.each([
    ['organisation/service', () => app.adminKey, {}],
    ['workspace/service', () => app.adminKey, 'workspace'],
    ['workspace/user', () => app.workspaceKey, {}],
  ])('makes a key at %s', async (path, keyOf, extra) => {
    const body = { name: 'n', scopes, ...(extra === 'workspace' && { workspace_id: app.workspaceId }) };
    expect(bodyOf(await create(path, body, keyOf()))).toEqual({
      id,
      key: expect.stringMatching(/^sl-/),
      object: 'api-key',
    });
  });

  it('reads, lists, updates and deletes', async () => {
    const input = { name: 'n', description: 'd', scopes, defaults: { metadata: { team: 'a' } } };
    const made = bodyOf(await create('workspace/service', input, app.workspaceKey));
    const shown = {
      id: made.id,
      key: `sl-***${made.key.slice(-4)}`,
      name: 'n',
      description: 'd',
      type: 'workspace-service',
      organisation_id: app.organisationId,
      workspace_id: app.workspaceId,
      user_id: null,
      status: 'active',
      created_at: time,
      last_updated_at: time,
      creation_mode: 'api',
      scopes,
      defaults: { metadata: { team: 'a' } },
      expires_at: null,
      last_rotated_at: null,
      alert_emails: [],
      usage_limits: null,
      rate_limits: [],
      last_reset_at: null,
      rotation_policy: null,
      object: 'api-key',
    };
    const path = `/v1/api-keys/${made.id}`;
    expect(bodyOf(await app.rest('GET', path))).toEqual(shown);
    expect(
      bodyOf(await app.rest('GET', `/v1/api-keys?ids=${made.id},none&page_size=5&current_page=0`)),
    ).toEqual({
      object: 'list',
      total: 1,
      data: [shown],
    });
    const expires = '2999-01-01T00:00:00.000Z';
    expect(bodyOf(await app.rest('PUT', path, { body: { name: 'm', expires_at: expires } }))).toEqual({});
    expect(bodyOf(await app.rest('GET', path))).toMatchObject({
      name: 'm',
      description: 'd',
      expires_at: expires,
    });
    expect(refusalOf(await app.rest('GET', path, { key: neighbour.workspaceKey }))).toMatchObject({
      status: 404,
      code: 'AB08',
    });
    expect(bodyOf(await app.rest('DELETE', path))).toEqual({});
    expect(refusalOf(await app.rest('GET', path))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it.each([
    ['no name', { scopes }, 'name'],
    ['no scopes', { name: 'n' }, 'scopes'],
    ['an unknown scope', { name: 'n', scopes: ['x.y'] }, 'scopes[0]'],
    ['a scope that is no text', { name: 'n', scopes: [1] }, 'scopes[0]'],
    ['an address that is none', { name: 'n', scopes, alert_emails: ['ops'] }, 'alert_emails[0]'],
    ['a policy that says nothing', { name: 'n', scopes, rotation_policy: {} }, 'rotation_policy'],
    ['a moment that is none', { name: 'n', scopes, expires_at: 'soon' }, 'expires_at'],
    [
      'metadata that is no text',
      { name: 'n', scopes, defaults: { metadata: { a: 1 } } },
      'defaults.metadata.a',
    ],
  ])('refuses %s', async (_what, body, param) => {
    expect(refusalOf(await create('workspace/service', body, app.workspaceKey))).toEqual({
      status: 400,
      code: 'AB01',
      param,
    });
  });

  it.each(['reset_usage', 'colour'])('refuses %s of a new key, which nothing acts on', async (member) => {
    const answer = await create('workspace/service', { name: 'n', scopes, [member]: [] }, app.workspaceKey);
    expect(refusalOf(answer)).toEqual({ status: 400, code: 'unknown_parameter', param: member });
  });

  it.each([
    ['colour', 'unknown_parameter'],
    ['reset_usage', 'AB01'],
  ])('refuses a change of %s to what it cannot be', async (member, code) => {
    const { id: subject } = bodyOf(
      await create('workspace/service', { name: 'n', scopes }, app.workspaceKey),
    );
    const update = await app.rest('PUT', `/v1/api-keys/${subject}`, { body: { [member]: [] } });
    expect(refusalOf(update)).toEqual({ status: 400, code, param: member });
  });

  it('takes only credentials with the scope', async () => {
    const { key, id: subject } = bodyOf(
      await create('workspace/service', { name: 'n', scopes }, app.workspaceKey),
    );
    await expectGuarded(app, ['POST', '/v1/api-keys/organisation/service', { name: 'n', scopes }], key);
    await expectGuarded(app, ['POST', '/v1/api-keys/workspace/service', { name: 'n', scopes }], key);
    await expectGuarded(app, ['POST', '/v1/api-keys/workspace/user', { name: 'n', scopes }], key);
    await expectGuarded(app, ['GET', '/v1/api-keys'], key);
    await expectGuarded(app, ['GET', `/v1/api-keys/${subject}`], key);
    await expectGuarded(app, ['PUT', `/v1/api-keys/${subject}`, { name: 'm' }], key);
    await expectGuarded(app, ['POST', `/v1/api-keys/${subject}/rotate`], key);
    await expectGuarded(app, ['DELETE', `/v1/api-keys/${subject}`], key);
  });
});

describe('/v1/api-keys/{id}/rotate', () => {
  const rotate = (key: string, body?: unknown, credential = app.adminKey) =>
    app.rest('POST', `/v1/api-keys/${key}/rotate`, { key: credential, body });
  const make = async () =>
    bodyOf(await create('workspace/service', { name: 'n', scopes, workspace_id: app.workspaceId }));

  it.each([
    ['without a body', undefined, 1_800_000],
    ['with an empty body', {}, 1_800_000],
    ['with a period that is null', { key_transition_period_ms: null }, 1_800_000],
    ['with a period', { key_transition_period_ms: 3_600_000 }, 3_600_000],
  ])('gives a new secret %s', async (_what, body, period) => {
    const made = await make();
    const answer = bodyOf(await rotate(made.id, body));
    expect(answer).toEqual({
      id: made.id,
      key: expect.stringMatching(/^sl-/),
      key_transition_expires_at: time,
    });
    const shown = bodyOf(await app.rest('GET', `/v1/api-keys/${made.id}`));
    expect(shown).toMatchObject({ key: `sl-***${answer.key.slice(-4)}`, last_rotated_at: time });
    expect(Date.parse(answer.key_transition_expires_at) - Date.parse(shown.last_rotated_at)).toBe(period);
  });

  it.each([
    ['a period that is too short', { key_transition_period_ms: 1_799_999 }],
    ['a period that is too long', { key_transition_period_ms: 1_209_600_001 }],
    ['a period that is beyond all integers', { key_transition_period_ms: 1e12 }],
    ['a period that is no integer', { key_transition_period_ms: 1_800_000.5 }],
    ['a period that is text', { key_transition_period_ms: '1800000' }],
  ])('refuses %s', async (_what, body) => {
    const made = await make();
    expect(refusalOf(await rotate(made.id, body))).toEqual({
      status: 400,
      code: 'AB01',
      param: 'key_transition_period_ms',
    });
    expect(bodyOf(await app.rest('GET', `/v1/api-keys/${made.id}`)).last_rotated_at).toBeNull();
  });

  it('refuses a body that is no object or has other members', async () => {
    const { id: subject } = await make();
    expect(refusalOf(await rotate(subject, []))).toMatchObject({ status: 400, code: 'AB01' });
    expect(refusalOf(await rotate(subject, { rotation_period: 'weekly' }))).toEqual({
      status: 400,
      code: 'unknown_parameter',
      param: 'rotation_period',
    });
  });

  it('answers 409 while the old secret works, and 404 for a key of nobody or of a neighbour', async () => {
    const { id: subject } = await make();
    bodyOf(await rotate(subject));
    expect(refusalOf(await rotate(subject))).toMatchObject({ status: 409, code: 'AB07' });
    expect(refusalOf(await rotate('none'))).toMatchObject({ status: 404, code: 'AB08' });
    expect(refusalOf(await rotate(subject, {}, neighbour.adminKey))).toMatchObject({ status: 404 });
  });

  it('gives the answer again to a repeated Idempotency-Key', async () => {
    const { id: subject } = await make();
    const options = { key: app.adminKey, headers: { 'idempotency-key': 'turn' } };
    const path = `/v1/api-keys/${subject}/rotate`;
    const first = bodyOf(await app.rest('POST', path, options));
    expect(bodyOf(await app.rest('POST', path, options))).toEqual(first);
  });
});
