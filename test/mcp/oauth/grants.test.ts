import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditRows } from '../../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import {
  authorizePath,
  browser,
  clientOf,
  introspected,
  mcpServer,
  REDIRECT,
  signedIn,
  tokensFor,
  userWithKey,
  type Wanted,
} from './support.ts';

type Json = Record<string, any>;

let app: TestApp;
let neighbour: Tenant;
/** Somebody who lets clients in, and somebody else of the same workspace. */
let ada: { userId: string; key: string; keyId: string };
let bob: { userId: string; key: string; keyId: string };

beforeAll(async () => {
  app = await startApp({ MCP_SYNC_SECONDS: '0' });
  neighbour = await app.createTenant();
  [ada, bob] = [await userWithKey(app), await userWithKey(app)];
  await mcpServer(app, 'tools');
  await mcpServer(app, 'others');
});
afterAll(() => app.stop());

/** What a client that comes by a path gets, whose person has a key. */
const comes = async (wanted: Wanted, key = ada.key) =>
  signedIn(browser(app), authorizePath(app, wanted), key);

const isAsked = async (wanted: Wanted, key?: string): Promise<boolean> => {
  const { status, text } = await comes(wanted, key);
  return status === 200 && text.includes('value="allow"');
};

const LIST = `query ($userId: ID, $clientId: ID) { mcpGrants(userId: $userId, clientId: $clientId) {
  total data { id object clientId clientName redirectUri resource scopes userId userEmail workspaceId endsAt lastUsedAt }
} }`;
const END = 'mutation ($id: ID!) { revokeMcpGrant(id: $id) }';

const listed = async (key: string, variables: Json = {}): Promise<Json[]> =>
  ((await app.graphql(LIST, variables, key)).data as Json).mcpGrants.data;

/** Why an operation is refused. */
const codeOf = async (query: string, variables: Json, key: string | null): Promise<string> => {
  const { body } = await app.rest('POST', '/graphql', { key, body: { query, variables } });
  return (body as Json).errors[0].extensions.code;
};

describe('what somebody has agreed to', () => {
  it('they are not asked again, at the same address for as much or less', async () => {
    const clientId = await clientOf(app);
    expect(await isAsked({ clientId })).toBe(true);
    await tokensFor(app, ada.key, { clientId });
    for (const scope of ['mcp', 'mcp:read', 'mcp:write']) {
      const { status, location } = await comes({ clientId, scope });
      expect([status, location?.origin]).toEqual([303, new URL(REDIRECT).origin]);
      const answered = Object.fromEntries(location?.searchParams ?? []);
      expect(answered).toEqual({ code: expect.any(String), state: 'the state', iss: app.url });
    }
    const granted = await auditRows(app, { resourceType: 'mcp_grant', action: 'create', userId: ada.userId });
    expect(granted).toHaveLength(4);
  });

  it('is good for nothing else', async () => {
    const uris = [REDIRECT, 'https://client.example/other'];
    const clientId = await clientOf(app, { redirect_uris: uris });
    const wanted = { clientId, scope: 'mcp:read', redirectUri: REDIRECT };
    await tokensFor(app, ada.key, wanted);
    expect(await isAsked(wanted)).toBe(false);
    expect(await isAsked({ ...wanted, scope: 'mcp' })).toBe(true);
    expect(await isAsked({ ...wanted, redirectUri: uris[1] ?? '' })).toBe(true);
    expect(await isAsked({ ...wanted, resource: `${app.url}/others/mcp` })).toBe(true);
    expect(await isAsked({ ...wanted, resource: null })).toBe(true);
    expect(await isAsked({ ...wanted, clientId: await clientOf(app) })).toBe(true);
    expect(await isAsked({ ...wanted, more: { prompt: 'consent' } })).toBe(true);
    expect(await isAsked(wanted, bob.key)).toBe(true);
    // A key of the same person that somebody may have stolen.
    const body = { name: 'another', scopes: ['mcp.invoke'], workspace_id: app.workspaceId };
    const made = await app.rest('POST', '/v1/api-keys/workspace/user', {
      ...{ key: app.adminKey, body: { ...body, user_id: ada.userId } },
    });
    expect(await isAsked(wanted, (made.body as Json).key)).toBe(true);
  });

  it('is asked for each time where any program could take the answer', async () => {
    const redirectUri = 'http://127.0.0.1:1234/done';
    const wanted = { clientId: await clientOf(app, { redirect_uris: [redirectUri] }), redirectUri };
    await tokensFor(app, ada.key, wanted);
    expect(await isAsked(wanted)).toBe(true);
  });

  it('counts once the client has taken its code, and no longer than the person may use the server', async () => {
    const clientId = await clientOf(app);
    const at = browser(app);
    const page = await signedIn(at, authorizePath(app, { clientId }), bob.key);
    expect((await at.press(page, 'allow')).status).toBe(303);
    expect(await isAsked({ clientId }, bob.key)).toBe(true);
    await tokensFor(app, bob.key, { clientId });
    expect(await isAsked({ clientId }, bob.key)).toBe(false);
    const access = (enabled: boolean) =>
      app.rest('PUT', '/v1/mcp-servers/tools/user-access', {
        ...{ key: app.adminKey, body: { user_access: [{ user_id: bob.userId, enabled }] } },
      });
    await access(false);
    const refused = await comes({ clientId }, bob.key);
    expect(refused.status).toBe(200);
    expect(refused.text).toContain('may not use this MCP server');
    await access(true);
  });
});

describe('grants', () => {
  it('are listed to whoever has given them, and to administrators', async () => {
    const clientId = await clientOf(app, { client_name: 'Listed' });
    await tokensFor(app, ada.key, { clientId, scope: 'mcp:read' });
    await tokensFor(app, bob.key, { clientId });
    const [own, ...others] = await listed(ada.key, { clientId });
    expect(others).toEqual([]);
    expect(own).toMatchObject({
      ...{ object: 'mcp-grant', clientId, clientName: 'Listed', redirectUri: REDIRECT, scopes: ['mcp:read'] },
      ...{ resource: `${app.url}/tools/mcp`, userId: ada.userId, workspaceId: app.workspaceId },
      userEmail: expect.stringContaining('@'),
    });
    expect(Date.parse(own?.endsAt)).toBeGreaterThan(Date.parse(own?.lastUsedAt));
    expect((await listed(app.adminKey, { clientId })).map(({ userId }) => userId)).toEqual([
      bob.userId,
      ada.userId,
    ]);
    expect(await listed(app.adminKey, { clientId, userId: ada.userId })).toEqual([own]);
    expect(await listed(bob.key, { userId: ada.userId })).toEqual([]);
    expect(await listed(app.workspaceKey)).toEqual([]);
    expect(await listed(neighbour.adminKey)).toEqual([]);
    expect(await codeOf(LIST, {}, null)).toBe('UNAUTHENTICATED');
  });

  it('end with all that the client has of the person, and nothing of others', async () => {
    const clientId = await clientOf(app);
    const first = await tokensFor(app, ada.key, { clientId });
    const second = await tokensFor(app, ada.key, { clientId });
    const ofBob = await tokensFor(app, bob.key, { clientId });
    const elsewhere = { clientId, resource: `${app.url}/others/mcp` };
    const other = await tokensFor(app, ada.key, elsewhere);
    const [{ id } = { id: '' }] = (await listed(ada.key, { clientId })).filter(({ resource }) =>
      resource.endsWith('/tools/mcp'),
    );
    for (const [key, code] of [
      [bob.key, 'NOT_FOUND'],
      [app.workspaceKey, 'NOT_FOUND'],
      [neighbour.adminKey, 'NOT_FOUND'],
      [null, 'UNAUTHENTICATED'],
    ] as const)
      expect(await codeOf(END, { id }, key)).toBe(code);
    expect(await listed(ada.key, { clientId })).toHaveLength(3);
    expect(await app.graphql(END, { id }, ada.key)).toMatchObject({ data: { revokeMcpGrant: id } });
    const isGood = async ({ access_token }: Json): Promise<boolean> =>
      (await introspected(app, access_token, app.adminKey)).active;
    expect(await Promise.all([first, second, ofBob, other].map(isGood))).toEqual([false, false, true, true]);
    expect(await isAsked({ clientId })).toBe(true);
    expect(await isAsked(elsewhere)).toBe(false);
    expect(await codeOf(END, { id }, ada.key)).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'mcp_grant', action: 'revoke', outcome: 'success' });
    expect(rows).toMatchObject([{ targetId: id, organisationId: app.organisationId }]);
  });

  it('of everybody are taken back by administrators', async () => {
    const clientId = await clientOf(app);
    const tokens = await tokensFor(app, bob.key, { clientId });
    const [{ id } = { id: '' }] = await listed(app.adminKey, { clientId });
    expect(await app.graphql(END, { id }, app.adminKey)).toMatchObject({ data: { revokeMcpGrant: id } });
    expect(await introspected(app, tokens.access_token, app.adminKey)).toEqual({ active: false });
    expect(await listed(app.adminKey, { clientId })).toEqual([]);
  });
});
