import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dumpResources, makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;
beforeAll(async () => {
  app = await startApp({ MCP_SYNC_SECONDS: '0' });
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.adminKey) =>
  app.rest(method, `/v1/mcp-integrations${path}`, { key, body });

const input = { name: 'Tracker', url: 'http://127.0.0.1:8/mcp', auth_type: 'none', transport: 'http' };
const SECRET = 'secret-of-the-tracker-9f2c';

describe('/v1/mcp-integrations', () => {
  it('makes, reads, lists, updates and deletes, by slug and by id', async () => {
    const given = { ...input, slug: 'tracker', configurations: { pin: 'block' } };
    expect(bodyOf(await call('POST', '', given))).toEqual({ id, slug: 'tracker' });
    const row = {
      ...{ id, name: 'Tracker', description: null, organisation_id: app.organisationId, owner_id: id },
      ...{ status: 'active', type: 'organisation', url: input.url, auth_type: 'none', transport: 'http' },
      ...{ configurations: { pin: 'block' }, created_at: time, last_updated_at: time, slug: 'tracker' },
      ...{ workspace_id: null, workspaces_count: 1, secret_mappings: [] },
    };
    const shown = bodyOf(await call('GET', '/tracker'));
    expect(shown).toEqual({ ...row, global_workspace_access: { enabled: true } });
    expect(bodyOf(await call('GET', `/${shown.id}`))).toEqual(shown);
    const list = { data: [row], total: 1, has_more: false };
    const query = `?type=organisation&search=TRACK&workspace_id=${app.workspaceId}&organisation_id=${app.organisationId}`;
    expect(bodyOf(await call('GET', query))).toEqual(list);
    expect(bodyOf(await call('GET', '?type=workspace')).data).toEqual([]);
    const changed = { name: 'Issues', description: 'All of them', transport: 'sse' };
    expect(bodyOf(await call('PUT', '/tracker', changed))).toEqual({});
    expect(bodyOf(await call('GET', '/tracker'))).toMatchObject(changed);
    const { body: v2 } = await app.rest('GET', '/v2/mcp-integrations/tracker', {
      key: null,
      headers: { authorization: `Bearer ${await app.token()}` },
    });
    expect(v2).toMatchObject(changed);
    expect(refusalOf(await call('GET', '/tracker', undefined, neighbour.adminKey)).status).toBe(404);
    expect(refusalOf(await call('PUT', '/tracker', { name: 'x' }, neighbour.adminKey)).status).toBe(404);
    expect(bodyOf(await call('GET', '', undefined, neighbour.adminKey)).data).toEqual([]);
    expect(bodyOf(await call('DELETE', '/tracker'))).toEqual({});
    expect(refusalOf(await call('DELETE', '/tracker'))).toMatchObject({ status: 404, code: 'AB08' });
    expect(bodyOf(await call('POST', '', given)).slug).toBe('tracker');
  });

  it('belongs to a workspace where a key of the workspace makes it', async () => {
    const made = bodyOf(await call('POST', '', { ...input, slug: 'own' }, app.workspaceKey));
    const shown = bodyOf(await call('GET', `/${made.id}`, undefined, app.workspaceKey));
    expect(shown).toMatchObject({ type: 'workspace', workspace_id: app.workspaceId, workspaces_count: 1 });
    const foreign = { ...input, workspace_id: neighbour.workspaceId };
    expect(refusalOf(await call('POST', '', foreign))).toMatchObject({ status: 400, param: 'workspace_id' });
    const other = { ...input, organisation_id: neighbour.organisationId };
    expect(refusalOf(await call('POST', '', other))).toMatchObject({ status: 403, param: 'organisation_id' });
  });

  it.each([
    ['no URL', { url: undefined }, 'url'],
    ['a URL of another kind', { url: 'ftp://example.com/' }, 'url'],
    ['a command', { url: 'stdio:///bin/sh' }, 'url'],
    ['a metadata address', { url: 'http://169.254.169.254/mcp' }, 'url'],
    ['a private address', { url: 'http://10.0.0.7/mcp' }, 'url'],
    ['a URL with credentials', { url: 'https://ada:pw@example.com/mcp' }, 'url'],
    ['a URL with a fragment', { url: 'https://example.com/mcp#x' }, 'url'],
    ['a way that is not known', { auth_type: 'oauth_magic' }, 'auth_type'],
    ['a way that is none', { auth_type: 'password' }, 'auth_type'],
    ['stdio', { transport: 'stdio' }, 'transport'],
    ['a slug with a space', { slug: 'a b' }, 'slug'],
    ['too long a description', { description: 'x'.repeat(501) }, 'description'],
    ['a setting that is none', { configurations: { colour: 'red' } }, 'configurations.colour'],
    ['a pin that is none', { configurations: { pin: 'maybe' } }, 'configurations.pin'],
    ['headers without any', { auth_type: 'headers' }, 'configurations.headers'],
    [
      'a header of the connection',
      { configurations: { headers: { host: 'x' } } },
      'configurations.headers.host',
    ],
    [
      'both spellings of one setting',
      { configurations: { headers: {}, custom_headers: {} } },
      'configurations.custom_headers',
    ],
    [
      'a protected header under another name',
      { configurations: { forward_headers: { mode: 'allowlist', headers: [{ from: 'cookie', to: 'x' }] } } },
      'configurations.forward_headers.headers.0.from',
    ],
    [
      'a client without its secret',
      { auth_type: 'oauth_client_credentials', configurations: { oauth_metadata: { client_id: 'c' } } },
      'configurations.oauth_metadata.client_secret',
    ],
    [
      'a token endpoint in a private network',
      { configurations: { oauth_metadata: { token_endpoint: 'http://10.0.0.7/token' } } },
      'configurations.oauth_metadata.token_endpoint',
    ],
    [
      'two sources of keys',
      {
        configurations: {
          jwt_validation: { jwksUri: 'https://a.example/k', introspectEndpoint: 'https://a.example/i' },
        },
      },
      'configurations.jwt_validation',
    ],
    [
      'a pattern that could run for ever',
      {
        configurations: {
          jwt_validation: {
            jwksUri: 'https://a.example/k',
            claimValues: { sub: { values: '(a)\\1', matchType: 'regex' } },
          },
        },
      },
      'configurations.jwt_validation.claimValues.sub.values',
    ],
    [
      'tokens for anybody',
      { configurations: { user_identity_forwarding: { method: 'bearer' } } },
      'configurations.user_identity_forwarding.method',
    ],
    [
      'an expiry out of bounds',
      { configurations: { user_identity_forwarding: { method: 'jwt_header', jwt_expiry_seconds: 29 } } },
      'configurations.user_identity_forwarding.jwt_expiry_seconds',
    ],
    [
      'a mapping of what is no secret',
      { secret_mappings: [{ target_field: 'configurations.pin', secret_reference_id: 'x' }] },
      'secret_mappings[0].target_field',
    ],
    [
      'a mapping to no reference',
      { secret_mappings: [{ target_field: 'configurations.headers.x-key', secret_reference_id: 'x' }] },
      'secret_mappings[0].secret_reference_id',
    ],
  ])('refuses %s, and nothing changes', async (_what, wrong, param) => {
    const before = await dumpResources(app);
    expect(refusalOf(await call('POST', '', { ...input, ...wrong }))).toEqual({
      status: 400,
      code: 'AB01',
      param,
    });
    expect(await dumpResources(app)).toBe(before);
  });

  it('refuses a slug that is taken, in an organisation alone', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'taken' }));
    const refusal = { status: 409, code: 'AB07', param: 'slug' };
    expect(refusalOf(await call('POST', '', { ...input, slug: 'taken' }))).toEqual(refusal);
    bodyOf(await call('POST', '', { ...input, slug: 'taken' }, neighbour.adminKey));
  });

  it('shows secrets masked, takes the mask for the secret, and lets none go to another host', async () => {
    const headers = { 'X-Key': SECRET, 'X-Team': 'search-team-1' };
    const given = {
      ...input,
      slug: 'sealed',
      auth_type: 'headers',
      configurations: { custom_headers: headers },
    };
    bodyOf(await call('POST', '', given));
    const { configurations } = bodyOf(await call('GET', '/sealed'));
    expect(configurations).toEqual({ headers: { 'X-Key': 'sec***9f2c', 'X-Team': 'sea***am-1' } });
    expect(
      bodyOf(await call('PUT', '/sealed', { configurations: { ...configurations, pin: 'off' } })),
    ).toEqual({});
    expect(bodyOf(await call('GET', '/sealed')).configurations).toEqual({ ...configurations, pin: 'off' });
    const moved = { url: 'http://localhost:9/mcp' };
    expect(refusalOf(await call('PUT', '/sealed', moved))).toMatchObject({
      status: 400,
      param: expect.stringMatching(/^configurations\.headers\./),
    });
    const refused = refusalOf(await call('PUT', '/sealed', { ...moved, configurations }));
    expect(refused).toMatchObject({ status: 400, param: 'configurations.headers.X-Key' });
    bodyOf(await call('PUT', '/sealed', { ...moved, configurations: { headers } }));
    bodyOf(await call('PUT', '/sealed', { url: 'http://localhost:9/other' }));
    expect(JSON.stringify(bodyOf(await call('GET', '?page_size=1000')))).not.toContain(SECRET);
    expect(await dumpResources(app)).not.toContain(SECRET);
  });

  it('seals what an issuer of others takes as a secret, and keeps no keys of clients', async () => {
    const external_auth_config = { issuer: 'https://issuer.example', introspection_client_secret: SECRET };
    const oauth_metadata = {
      client_id: 'c',
      jwks: { keys: [{ d: SECRET }] },
      redirect_uris: ['https://x.example/'],
    };
    bodyOf(
      await call('POST', '', {
        ...input,
        slug: 'external',
        configurations: { external_auth_config, oauth_metadata },
      }),
    );
    expect(bodyOf(await call('GET', '/external')).configurations).toEqual({
      external_auth_config: { ...external_auth_config, introspection_client_secret: 'sec***9f2c' },
      oauth_metadata: { client_id: 'c' },
    });
    expect(await dumpResources(app)).not.toContain(SECRET);
    const inside = { external_auth_config: { token_endpoint: 'http://10.0.0.7/token' } };
    expect(refusalOf(await call('PUT', '/external', { configurations: inside }))).toMatchObject({
      ...{ status: 400, param: 'configurations.external_auth_config.token_endpoint' },
    });
  });

  it('shares one of the organisation with workspaces', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'shared' }));
    const entry = { id: app.workspaceId, enabled: false };
    const shared = { workspaces: [entry], global_workspace_access: { enabled: false } };
    expect(bodyOf(await call('PUT', '/shared/workspaces', shared))).toEqual({});
    const row = { ...entry, status: 'active', created_at: time, last_updated_at: time };
    const shown = { data: [row], workspaces: [row], total: 1, global_workspace_access: { enabled: false } };
    expect(bodyOf(await call('GET', '/shared/workspaces'))).toEqual(shown);
    expect(bodyOf(await call('GET', '/shared/workspaces?version=2'))).toEqual(shown);
    expect(bodyOf(await call('GET', '/shared')).workspaces_count).toBe(0);
    const list = `?workspace_id=${app.workspaceId}&search=tracker&page_size=1000`;
    const slugs = (bodyOf(await call('GET', list)).data as { slug: string }[]).map(({ slug }) => slug);
    expect(slugs).not.toContain('shared');
    const emptied = { workspaces: [], override_existing_workspace_access: true };
    bodyOf(await call('PUT', '/shared/workspaces', emptied));
    expect(bodyOf(await call('GET', '/shared/workspaces')).total).toBe(0);
    const foreign = { workspaces: [{ id: neighbour.workspaceId, enabled: true }] };
    expect(refusalOf(await call('PUT', '/shared/workspaces', foreign))).toMatchObject({
      ...{ status: 400, param: 'workspaces[0].id' },
    });
    expect(refusalOf(await call('PUT', '/shared/workspaces', { workspaces: [entry, entry] }))).toMatchObject({
      ...{ status: 400, param: 'workspaces[1].id' },
    });
  });

  it('keeps a secret reference from being deleted while it needs it', async () => {
    const reference = {
      ...{ name: 'Vault', slug: 'vault', manager_type: 'hashicorp_vault', secret_path: 'kv/x' },
      auth_config: { vault_auth_type: 'token', vault_addr: 'http://127.0.0.1:8', vault_token: 'hvs.x' },
    };
    bodyOf(await app.rest('POST', '/v1/secret-references', { key: app.adminKey, body: reference }));
    const mapping = { target_field: 'configurations.headers.X-Key', secret_reference_id: 'vault' };
    bodyOf(
      await call('POST', '', { ...input, slug: 'mapped', auth_type: 'headers', secret_mappings: [mapping] }),
    );
    expect(bodyOf(await call('GET', '/mapped')).secret_mappings).toEqual([
      { ...mapping, secret_reference_id: id, secret_key: null, value_format: null },
    ]);
    const remove = () => app.rest('DELETE', '/v1/secret-references/vault', { key: app.adminKey });
    const { status, body } = await remove();
    expect({ status, body: JSON.stringify(body) }).toEqual({
      status: 409,
      body: expect.stringContaining('MCP integrations mapped'),
    });
    bodyOf(await call('DELETE', '/mapped'));
    bodyOf(await remove());
  });

  it('keeps a guardrail from being deleted while it names it, and names none that is not there', async () => {
    const checks = [{ id: 'default.wordCount', parameters: { maxWords: 500 } }];
    const rails = (method: string, path: string, body?: unknown) =>
      app.rest(method, `/v1/org-guardrails${path}`, { key: app.adminKey, body });
    bodyOf(await rails('POST', '', { name: 'Short', slug: 'short', checks }));
    const named = { configurations: { input_guardrails: ['short'] } };
    bodyOf(await call('POST', '', { ...input, slug: 'checked', ...named }));
    expect(refusalOf(await rails('DELETE', '/short'))).toMatchObject({ status: 409 });
    const unknown = { configurations: { output_guardrails: ['short', 'none'] } };
    const refusal = { status: 400, code: 'AB01', param: 'configurations.output_guardrails[1]' };
    expect(refusalOf(await call('PUT', '/checked', unknown))).toEqual(refusal);
    expect(refusalOf(await call('POST', '', { ...input, ...named }, neighbour.adminKey)).status).toBe(400);
    bodyOf(await call('PUT', '/checked', { configurations: {} }));
    bodyOf(await rails('DELETE', '/short'));
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'organisation-service', {
      without: ['create', 'delete', 'list', 'read', 'update'].flatMap((verb) => [
        `organisation_mcp_integrations.${verb}`,
        `workspace_mcp_integrations.${verb}`,
      ]),
    });
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
      ['PUT', '/taken/capabilities', { capabilities: [{ name: 'x', type: 'tool', enabled: true }] }],
      ['GET', '/taken/workspaces'],
      ['PUT', '/taken/workspaces', { workspaces: [] }],
    ] as const)
      await expectGuarded(app, [method, `/v1/mcp-integrations${path}`, body], key);
    expect(await dumpResources(app)).toBe(before);
  });
});
