import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuid } from '../../src/lib/ids.ts';
import { mcpConnectionModel } from '../../src/subgraphs/mcp/mcp-connection/index.ts';
import { dumpResources, makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;
let integrationId: string;

const integrations = (method: string, path: string, body?: unknown, key = app.adminKey) =>
  app.rest(method, `/v1/mcp-integrations${path}`, { key, body });
const call = (method: string, path: string, body?: unknown, key = app.workspaceKey) =>
  app.rest(method, `/v1/mcp-servers${path}`, { key, body });

const mock = { name: 'Mock', url: 'mock://server', auth_type: 'none', transport: 'http' };

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  integrationId = bodyOf(await integrations('POST', '', { ...mock, slug: 'mock' })).id;
  await eventually(async () =>
    expect(bodyOf(await integrations('GET', '/mock/metadata'))).toMatchObject({ sync_status: 'success' }),
  );
});
afterAll(() => app.stop());

const input = { name: 'Tools', mcp_integration_id: 'mock' };

describe('/v1/mcp-servers', () => {
  it('makes, reads, lists, updates and deletes, by slug and by id', async () => {
    expect(bodyOf(await call('POST', '', { ...input, slug: 'tools' }))).toEqual({ id, slug: 'tools' });
    const url = `${app.url}/tools/mcp`;
    const common = {
      ...{ id, slug: 'tools', name: 'Tools', status: 'active', description: null, created_at: time },
      ...{ mcp_integration_id: integrationId, workspace_id: app.workspaceId, url },
    };
    const details = {
      ...{
        id: integrationId,
        slug: 'mock',
        status: 'active',
        url: mock.url,
        transport: 'http',
        auth_type: 'none',
      },
    };
    const shown = bodyOf(await call('GET', '/tools'));
    // A key of a workspace may not read integrations of the organisation.
    const mcp_integration_details = { ...details, configurations: null };
    expect(shown).toEqual({ ...common, last_updated_at: time, mcp_integration_details });
    expect(
      bodyOf(await call('GET', `/${shown.id}`, undefined, app.adminKey)).mcp_integration_details,
    ).toEqual({
      ...{ ...details, configurations: {} },
    });
    const workspace: any = await app.db
      .collection('workspaces')
      .findOne({ organisationId: app.organisationId });
    const row = {
      ...{ ...common, organisation_id: app.organisationId, owner_id: id, mcp_integration_slug: 'mock' },
      ...{ mcp_integration_url: mock.url, auth_type: 'none' },
      ...{ workspace_name: workspace.name, workspace_slug: workspace.slug },
    };
    const query = `?workspace_id=${app.workspaceId}&id=tools,none&search=TOO`;
    expect(bodyOf(await call('GET', query))).toEqual({ data: [row], total: 1 });
    expect(bodyOf(await call('PUT', '/tools', { name: 'More', description: 'x' }))).toEqual({});
    const { body: v2 } = await app.rest('GET', '/v2/mcp-servers/tools', {
      ...{ key: null, headers: { authorization: `Bearer ${await app.token()}` } },
    });
    expect(v2).toMatchObject({ name: 'More', description: 'x' });
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
      expect(refusalOf(await call(method, '/tools', body, neighbour.adminKey)).status).toBe(404);
    expect(bodyOf(await call('DELETE', '/tools'))).toEqual({});
    expect(refusalOf(await call('GET', '/tools'))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('goes with its integration, and its slug is free again', async () => {
    bodyOf(await integrations('POST', '', { ...mock, slug: 'passing' }));
    bodyOf(await call('POST', '', { ...input, slug: 'gone', mcp_integration_id: 'passing' }));
    bodyOf(await integrations('DELETE', '/passing'));
    expect(refusalOf(await call('GET', '/gone')).status).toBe(404);
    bodyOf(await call('POST', '', { ...input, slug: 'gone' }));
    for (const name of ['mcp_capabilities', 'mcp_catalogues']) {
      const left = await app.db.collection(name).find({ organisationId: app.organisationId }).toArray();
      expect(new Set(left.map((each) => String(each.mcpIntegrationId ?? each._id)))).toEqual(
        new Set([integrationId]),
      );
    }
  });

  it('has its workspace in its address where the slug is a path of the gateway', async () => {
    const { id } = bodyOf(await call('POST', '', { ...input, slug: 'admin' }));
    expect(bodyOf(await call('GET', `/${id}`)).url).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/admin\/mcp$/,
    );
  });

  it.each([
    ['no name', { name: undefined }, 400, 'AB01', 'name'],
    ['an empty name', { name: '' }, 400, 'AB01', 'name'],
    ['too long a name', { name: 'x'.repeat(256) }, 400, 'AB01', 'name'],
    ['too long a description', { description: 'x'.repeat(501) }, 400, 'AB01', 'description'],
    ['too short a slug', { slug: 'ab' }, 400, 'AB01', 'slug'],
    ['too long a slug', { slug: 'x'.repeat(51) }, 400, 'AB01', 'slug'],
    ['a slug with a dot', { slug: 'a.b.c' }, 400, 'AB01', 'slug'],
    ['no integration', { mcp_integration_id: undefined }, 400, 'AB01', 'mcp_integration_id'],
    ['an unknown integration', { mcp_integration_id: 'none' }, 400, 'AB01', 'mcp_integration_id'],
    ['a member that is none', { colour: 'red' }, 400, 'unknown_parameter', 'colour'],
  ])('refuses %s', async (_what, wrong, status, code, param) => {
    const before = await dumpResources(app);
    expect(refusalOf(await call('POST', '', { ...input, ...wrong }))).toEqual({ status, code, param });
    expect(await dumpResources(app)).toBe(before);
  });

  it('refuses a slug that is taken, an integration that is not granted, and a key without its workspace', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'taken' }));
    const taken = { status: 409, code: 'AB07', param: 'slug' };
    expect(refusalOf(await call('POST', '', { ...input, slug: 'taken' }))).toEqual(taken);
    bodyOf(await integrations('POST', '', { ...mock, slug: 'withheld' }));
    bodyOf(
      await integrations('PUT', '/withheld/workspaces', {
        workspaces: [{ id: app.workspaceId, enabled: false }],
      }),
    );
    const withheld = { ...input, mcp_integration_id: 'withheld' };
    expect(refusalOf(await call('POST', '', withheld))).toMatchObject({
      status: 403,
      param: 'mcp_integration_id',
    });
    const nowhere = refusalOf(await call('POST', '', input, app.adminKey));
    expect(nowhere).toMatchObject({ status: 400, param: 'workspace_id' });
    const foreign = { ...input, mcp_integration_id: integrationId };
    const elsewhere = { ...foreign, workspace_id: neighbour.workspaceId };
    expect(refusalOf(await call('POST', '', elsewhere, neighbour.adminKey))).toMatchObject({
      ...{ status: 400, param: 'mcp_integration_id' },
    });
  });

  it('shows what the server says of itself', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'described' }));
    expect(bodyOf(await call('GET', '/described/metadata'))).toEqual({
      ...{
        server_name: 'sluice-mock',
        server_version: '1.0.0',
        protocol_version: '2026-07-28',
        title: 'Mock',
      },
      ...{
        capability_flags: { tools: {}, prompts: {}, resources: {} },
        sync_status: 'success',
        sync_error: null,
      },
      ...{ last_synced_at: time, description: expect.stringContaining('built into'), icons: [] },
      health: null,
    });
    expect(bodyOf(await call('POST', '/described/test'))).toEqual({
      ...{ success: true, status_code: 200, response_time_ms: expect.any(Number), url: mock.url },
      ...{ server_name: 'sluice-mock', error: null },
    });
  });

  it('says who may call it', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'guarded' }));
    const userId = uuid();
    const { organisationId, workspaceId } = app;
    const at = { createdAt: new Date(), lastUpdatedAt: new Date() };
    await app.db.collection<any>('users').insertOne({
      _id: userId,
      organisationId,
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: '',
      role: 'member',
      ...at,
    });
    await app.db
      .collection<any>('members')
      .insertOne({ _id: uuid(), organisationId, workspaceId, userId, role: 'member', ...at });
    const row = {
      ...{ user_id: userId, first_name: 'Ada', last_name: null, enabled: true, has_override: false },
      connection_status: 'not_connected',
    };
    const list = async () => bodyOf(await call('GET', '/guarded/user-access?search=ADA'));
    const page = { total: 1, has_more: false };
    expect(await list()).toEqual({ data: [row], default_user_access: 'allow', ...page });
    const denied = { user_access: [{ user_id: userId, enabled: false }], default_user_access: 'deny' };
    expect(bodyOf(await call('PUT', '/guarded/user-access', denied))).toEqual({ success: true });
    const overridden = { ...row, enabled: false, has_override: true };
    expect(await list()).toEqual({ data: [overridden], default_user_access: 'deny', ...page });
    const before = await dumpResources(app);
    for (const [wrong, param] of [
      [{}, null],
      [{ default_user_access: 'ask' }, 'default_user_access'],
      [{ user_access: [{ user_id: 'nobody', enabled: true }] }, 'user_access[0].user_id'],
    ] as const)
      expect(refusalOf(await call('PUT', '/guarded/user-access', wrong))).toMatchObject({
        ...{ status: 400, code: 'AB01', ...(param && { param }) },
      });
    expect(await dumpResources(app)).toBe(before);
    bodyOf(await call('DELETE', '/guarded'));
    expect(await app.db.collection('mcp_user_access').countDocuments()).toBe(0);
  });

  it('shows and revokes connections: a key of a user those of its user', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'connected' }));
    const connect = (userId: string) =>
      mcpConnectionModel(app.db).create({
        ...{ _id: uuid(), organisationId: app.organisationId, mcpIntegrationId: integrationId, userId },
        ...{ issuer: 'https://issuer.example', sealedTokens: 'v1.sealed' },
      });
    const [own, other] = [uuid(), uuid()];
    await connect(own);
    await connect(other);
    const row = { connected: true, created_at: time, last_updated_at: time };
    const list = async (query: string, key = app.workspaceKey) =>
      bodyOf(await call('GET', `/connected/connections${query}`, undefined, key));
    expect(await list('')).toMatchObject({ total: 2, has_more: false });
    expect(await list(`?user_id=${own}`)).toEqual({
      data: [{ user_id: own, ...row }],
      total: 1,
      has_more: false,
    });
    const { body } = await app.rest('POST', '/v1/api-keys/workspace/user', {
      key: app.adminKey,
      body: {
        name: 'own',
        workspace_id: app.workspaceId,
        scopes: ['mcp_servers.read', 'mcp_servers.update'],
      },
    });
    const { id: keyId, key } = body as { id: string; key: string };
    await app.db.collection<any>('api_keys').updateOne({ _id: keyId }, { $set: { userId: own } });
    expect((await list('', key)).data).toMatchObject([{ user_id: own }]);
    expect(await list(`?user_id=${other}`, key)).toMatchObject({ total: 0 });
    const revoke = (query: string, by = app.workspaceKey) =>
      call('DELETE', `/connected/connections${query}`, undefined, by);
    expect(refusalOf(await revoke(`?user_id=${other}`, key))).toMatchObject({ status: 404, code: 'AB08' });
    expect(refusalOf(await revoke(''))).toMatchObject({ status: 400, param: 'user_id' });
    expect(refusalOf(await revoke(`?user_id=${own}`, neighbour.adminKey)).status).toBe(404);
    expect(await list('')).toMatchObject({ total: 2 });
    expect(bodyOf(await revoke('', key))).toEqual({ success: true });
    expect(refusalOf(await revoke('', key)).status).toBe(404);
    expect((await list('')).data).toMatchObject([{ user_id: other }]);
  });

  it('is in the registry while callers may use it', async () => {
    bodyOf(await call('POST', '', { name: 'Listed one', mcp_integration_id: 'mock', slug: 'listed-1' }));
    bodyOf(await call('POST', '', { name: 'Listed two', mcp_integration_id: 'mock', slug: 'listed-2' }));
    const list = async (query: string, key = app.workspaceKey) =>
      app.rest('GET', `/v0.1/servers?search=listed${query}`, { key });
    const first = bodyOf(await list('&limit=1'));
    expect(first).toEqual({
      servers: [
        {
          server: {
            ...{
              $schema: expect.stringMatching(/^https:/),
              name: expect.stringMatching(/^1\.0\.0\.127\.[\w-]+\/listed-2$/),
            },
            ...{ title: 'Listed two', description: expect.any(String), version: '1.0.0', icons: [] },
            remotes: [{ type: 'streamable-http', url: `${app.url}/listed-2/mcp` }],
          },
          _meta: {
            'io.modelcontextprotocol.registry/official': {
              publishedAt: time,
              updatedAt: time,
              isLatest: true,
            },
          },
        },
      ],
      metadata: { count: 1, nextCursor: expect.any(String) },
    });
    const rest = bodyOf(await list(`&cursor=${first.metadata.nextCursor}&workspace_id=${app.workspaceId}`));
    expect(rest).toMatchObject({
      servers: [{ server: { title: 'Listed one' } }],
      metadata: { nextCursor: null },
    });
    expect(bodyOf(await list('&updated_since=2100-01-01T00:00:00Z')).servers).toEqual([]);
    expect(bodyOf(await list('', neighbour.workspaceKey)).servers).toEqual([]);
    expect(refusalOf(await list('&cursor=bad'))).toMatchObject({ status: 400, param: 'cursor' });
    expect(refusalOf(await list('&limit=101'))).toMatchObject({ status: 400, param: 'limit' });
    await expectGuarded(
      app,
      ['GET', '/v0.1/servers'],
      await makeKey(app, 'workspace-user', { without: ['mcp_servers.list'] }),
    );
  });

  it('takes only credentials with the scope', async () => {
    const without = ['create', 'delete', 'list', 'read', 'update'].map((verb) => `mcp_servers.${verb}`);
    const key = await makeKey(app, 'workspace-service', { without });
    const before = await dumpResources(app);
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '', input],
      ['GET', '/taken'],
      ['PUT', '/taken', { name: 'x' }],
      ['DELETE', '/taken'],
      ['POST', '/taken/test'],
      ['GET', '/taken/metadata'],
      ['GET', '/taken/capabilities'],
      ['PUT', '/taken/capabilities', { capabilities: [{ name: 'echo', type: 'tool', enabled: false }] }],
      ['GET', '/taken/connections'],
      ['DELETE', '/taken/connections'],
      ['GET', '/taken/user-access'],
      ['PUT', '/taken/user-access', { default_user_access: 'deny' }],
    ] as const)
      await expectGuarded(app, [method, `/v1/mcp-servers${path}`, body], key);
    expect(await dumpResources(app)).toBe(before);
  });
});

describe('capabilities', () => {
  const named = (name: string, enabled: boolean, type = 'tool') => ({
    capabilities: [{ name, type, enabled }],
  });
  const tools = async (path: string, key = app.adminKey) => {
    const { data } = bodyOf(await app.rest('GET', `/v1/${path}/capabilities?type=tool`, { key }));
    return Object.fromEntries(
      (data as any[]).map(({ name, enabled, integration_enabled: above }) => [name, [enabled, above]]),
    );
  };

  it('are listed with counts, page by page', async () => {
    const page = bodyOf(await integrations('GET', '/mock/capabilities?page_size=4'));
    expect(page).toMatchObject({ total: 6, has_more: true });
    expect(page.counts).toEqual({
      ...{ tools: { total: 3, enabled: 3 }, prompts: { total: 1, enabled: 1 } },
      ...{ resources: { total: 1, enabled: 1 }, resource_templates: { total: 1, enabled: 1 } },
    });
    const last = bodyOf(await integrations('GET', '/mock/capabilities?page_size=4&page=2'));
    expect(last).toMatchObject({ total: 6, has_more: false });
    expect([...page.data, ...last.data].map(({ type, name }) => `${type} ${name}`).sort()).toEqual([
      ...['prompt greeting', 'resource about', 'resource_template notes'],
      ...['tool add', 'tool echo', 'tool get-time'],
    ]);
    const { data } = bodyOf(await integrations('GET', '/mock/capabilities?type=tool'));
    expect(data[0]).toMatchObject({
      ...{ name: 'echo', title: 'Echo', enabled: true, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ...{ input_schema: { type: 'object', required: ['message'] }, annotations: { readOnlyHint: true } },
      ...{ output_schema: null, uri: null, is_quarantined: false, suspicious: null, created_at: time },
    });
    expect(refusalOf(await integrations('GET', '/mock/capabilities?page=0'))).toMatchObject({
      param: 'page',
    });
    expect(refusalOf(await integrations('GET', '/mock/capabilities?page_size=501'))).toMatchObject({
      param: 'page_size',
    });
  });

  it('are kept back by an MCP server, or by its integration for all', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'narrow' }));
    expect(bodyOf(await call('PUT', '/narrow/capabilities', named('echo', false)))).toEqual({
      success: true,
    });
    expect(await tools('mcp-servers/narrow')).toMatchObject({ echo: [false, true], add: [true, true] });
    expect((await tools('mcp-integrations/mock')).echo).toEqual([true, undefined]);
    bodyOf(await integrations('PUT', '/mock/capabilities', named('add', false)));
    expect(await tools('mcp-servers/narrow')).toMatchObject({ echo: [false, true], add: [true, false] });
    const { counts } = bodyOf(await call('GET', '/narrow/capabilities'));
    expect(counts.tools).toEqual({ total: 3, enabled: 1 });
    bodyOf(await call('PUT', '/narrow/capabilities', named('echo', true)));
    bodyOf(await integrations('PUT', '/mock/capabilities', named('add', true)));
    bodyOf(await integrations('PUT', '/mock/capabilities', named('mock://server/about', false, 'resource')));
    bodyOf(await integrations('PUT', '/mock/capabilities', named('about', true, 'resource')));
    expect(bodyOf(await call('GET', '/narrow/capabilities')).counts.tools).toEqual({ total: 3, enabled: 3 });
  });

  it('are all left alone where one is unknown', async () => {
    const capabilities = [
      { name: 'echo', type: 'tool', enabled: false },
      { name: 'none', type: 'tool', enabled: false },
    ];
    const before = await dumpResources(app);
    for (const path of ['/v1/mcp-integrations/mock', '/v1/mcp-servers/narrow']) {
      const answer = await app.rest('PUT', `${path}/capabilities`, {
        key: app.adminKey,
        body: { capabilities },
      });
      expect(refusalOf(answer)).toEqual({ status: 404, code: 'AB08', param: 'capabilities[1].name' });
    }
    expect(await dumpResources(app)).toBe(before);
  });
});
