import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bodyOf, refusalOf } from '../rest-compat/support.ts';
import { dataOf, errorOf } from '../subgraphs/support.ts';
import { chatAnswer, json } from '../support/provider.ts';
import { bodiesOf, recordsOf } from '../support/records.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    HEADERS_TO_METADATA: 'X-Team, x-stage',
    HEADERS_TO_MASK: 'x-customer',
    HEADERS_TO_IGNORE: 'x-internal',
  });
});
afterAll(() => world.stop());

async function recordWith(headers: Record<string, string>, path = '/v1/chat/completions') {
  const { answer, record } = await world.logged(json(200, chatAnswer('hi')), { path, headers });
  expect(answer.status).toBe(200);
  return record;
}

describe('headers that the operator names', () => {
  test('become metadata under the request’s own, over its baggage', async () => {
    const headers = { 'x-TEAM': 'ads', 'x-stage': 's'.repeat(200), 'x-other': 'no', baggage: 'x-team=b,a=b' };
    expect((await recordWith(headers)).metadata).toEqual({
      'x-team': 'ads',
      'x-stage': 's'.repeat(128),
      a: 'b',
    });
    const own = { ...headers, 'x-gateway-metadata': '{"x-team":"own"}' };
    expect((await recordWith(own)).metadata['x-team']).toBe('own');
  });

  test('are masked in every log, and left out of proxied requests', async () => {
    const headers = { 'x-customer': 'acme-inc', 'x-internal': 'secret route', 'x-kept': 'yes' };
    const provider = { 'x-gateway-provider': `@${world.slug}` };
    const { _id } = await recordWith({ ...headers, ...provider }, '/v1/proxy/chat/completions');
    const sent = world.provider.requests.at(-1)?.headers;
    expect([sent?.['x-customer'], sent?.['x-internal'], sent?.['x-kept']]).toEqual([
      'acme-inc',
      undefined,
      'yes',
    ]);
    const { body } = await world.app.rest('GET', `/v1/logs/${_id}`);
    expect((body as any).request.headers).toMatchObject({ 'x-customer': '[redacted]', 'x-kept': 'yes' });
  });
});

describe('the mode of logging', () => {
  const ofOrganisation = (input: object) =>
    world.app.graphql(
      'mutation ($input: UpdateOrganisationSettingsInput!) { updateOrganisationSettings(input: $input) { settings { logMode allowLogModeOverride } } }',
      { input },
    );
  const ofWorkspace = (input: object) =>
    world.app.graphql(
      'mutation ($id: ID!, $input: UpdateWorkspaceSettingsInput!) { updateWorkspaceSettings(id: $id, input: $input) { settings { logMode } } }',
      { id: world.app.workspaceId, input },
    );
  const keeps = async (headers: Record<string, string> = {}) => (await recordWith(headers)).bodiesId !== null;
  const silent = { 'x-gateway-debug': 'false' };

  test('is each request’s own, the organisation’s, or the workspace’s where it may differ', async () => {
    expect([await keeps(), await keeps(silent)]).toEqual([true, false]);
    dataOf(await ofOrganisation({ logMode: 'metrics' }));
    expect(await keeps()).toBe(false);
    world.provider.play(json(400, { error: { message: 'too long' } }, { 'x-from': 'provider' }));
    const failed = `/v1/chat/completions?tag=${world.newTrace()}`;
    expect((await world.call({ path: failed })).status).toBe(400);
    const [record] = await recordsOf(world.app, { requestUrl: failed });
    expect(record && (await bodiesOf(world.app, record))).toEqual({
      request: { headers: {}, body: null, truncated: false },
      transformedRequest: null,
      response: {
        headers: expect.objectContaining({ 'x-from': 'provider' }),
        body: JSON.stringify({ error: { message: 'too long' } }),
        truncated: false,
      },
    });
    dataOf(await ofOrganisation({ logMode: 'full' }));
    expect(await keeps(silent)).toBe(true);
    expect(errorOf(await ofWorkspace({ logMode: 'metrics' }))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.logMode',
    });
    dataOf(await ofOrganisation({ allowLogModeOverride: true }));
    dataOf(await ofWorkspace({ logMode: 'metrics' }));
    expect(await keeps()).toBe(false);
    const token = await world.app.token();
    world.provider.play(json(200, chatAnswer('hi')));
    const headers = { authorization: `Bearer ${token}`, 'x-gateway-workspace-id': world.app.workspaceId };
    await world.call({ key: null, headers, path: '/v1/chat/completions?by=token' });
    const [byToken] = await recordsOf(world.app, { requestUrl: '/v1/chat/completions?by=token' });
    expect(byToken?.bodiesId).toBeNull();
    dataOf(await ofOrganisation({ allowLogModeOverride: false, logMode: null }));
    expect([await keeps(), await keeps(silent)]).toEqual([true, false]);
  });
});

describe('metadata that an organisation wants', () => {
  const set = (input: object) =>
    world.app.graphql(
      'mutation ($input: UpdateOrganisationSettingsInput!) { updateOrganisationSettings(input: $input) { id } }',
      { input },
    );
  const schema = (more: object = {}, properties: object = {}) => ({
    type: 'object',
    additionalProperties: true,
    required: ['team', 'stage'],
    properties: { stage: { type: 'string', enum: ['dev', 'prod'], default: 'dev' }, ...properties },
    ...more,
  });
  const admin = { key: '' };
  beforeAll(() => {
    admin.key = world.app.adminKey;
  });

  test('is checked, and filled in, where a key or a workspace is made or changed', async () => {
    dataOf(await set({ apiKeyMetadataSchema: schema(), workspaceMetadataSchema: schema() }));
    const places = [
      [
        '/v1/api-keys/workspace/service',
        { name: 'k', scopes: ['logs.list'], workspace_id: world.app.workspaceId },
      ],
      ['/v1/admin/workspaces', { name: 'w' }],
    ] as const;
    for (const [path, body] of places) {
      const make = (metadata?: object) =>
        world.app.rest('POST', path, {
          ...admin,
          body: { ...body, ...(metadata && { defaults: { metadata } }) },
        });
      expect(refusalOf(await make())).toMatchObject({ status: 400, param: 'defaults.metadata.team' });
      expect(refusalOf(await make({ team: 'ads', stage: 'test' }))).toMatchObject({
        status: 400,
        param: 'defaults.metadata.stage',
      });
      const { id } = bodyOf(await make({ team: 'ads', free: 'yes' }));
      const place = `${path.replace('/workspace/service', '')}/${id}`;
      const shown = async () => bodyOf(await world.app.rest('GET', place, admin)).defaults.metadata;
      expect(await shown()).toEqual({ team: 'ads', stage: 'dev', free: 'yes' });
      const change = (changed: object) => world.app.rest('PUT', place, { ...admin, body: changed });
      expect((await change({ name: 'renamed' })).status).toBe(200);
      expect(refusalOf(await change({ defaults: { metadata: {} } })).param).toBe('defaults.metadata.team');
      expect(await shown()).toEqual({ team: 'ads', stage: 'dev', free: 'yes' });
    }
    expect((await recordWith({})).metadata).toEqual({});
    dataOf(await set({ apiKeyMetadataSchema: null, workspaceMetadataSchema: null }));
    expect((await world.app.rest('POST', places[1][0], { ...admin, body: places[1][1] })).status).toBe(200);
  });

  test.each([
    ['no object', [], ''],
    ['another type', schema({ type: 'array' }), '.type'],
    ['no further properties', schema({ additionalProperties: false }), '.additionalProperties'],
    ['a keyword that is not enforced', schema({ patternProperties: {} }), '.patternProperties'],
    ['labels of another type', schema({}, { n: { type: 'number' } }), '.properties.n.type'],
    [
      'labels with a keyword that is not enforced',
      schema({}, { n: { type: 'string', format: 'uri' } }),
      '.properties.n.format',
    ],
    [
      'a default that it refuses',
      schema({}, { n: { type: 'string', enum: ['a'], default: 'b' } }),
      '.properties.n.default',
    ],
  ])('is refused as a schema of %s', async (_what, value, place) => {
    const error = { code: 'VALIDATION_FAILED', param: `input.apiKeyMetadataSchema${place}` };
    expect(errorOf(await set({ apiKeyMetadataSchema: value }))).toEqual(error);
  });
});
