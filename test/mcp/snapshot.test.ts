import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '../../src/auth/index.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createMcpSnapshot, type McpSnapshot, mcpAccess, placeOf } from '../../src/mcp/snapshot/index.ts';
import { type Changes, createChanges } from '../../src/storage/changes.ts';
import { createSecrets } from '../../src/storage/secrets.ts';
import { createServerLoader, loadServerSlugs } from '../../src/subgraphs/mcp/mcp-server/records.ts';
import { bodyOf } from '../rest-compat/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { type CountedApp, startCountedApp } from '../support/counted-app.ts';
import { eventually } from '../support/eventually.ts';
import { addUser } from '../support/users.ts';

let app: TestApp;
let counted: CountedApp;
let neighbour: Tenant;
/** As another process of the installation has it. */
let changes: Changes;
let snapshot: McpSnapshot;

beforeAll(async () => {
  const key = randomBytes(32);
  app = await startApp({ ENCRYPTION_KEY: key.toString('base64') });
  neighbour = await app.createTenant();
  changes = createChanges(app.db, createLogger('silent'));
  snapshot = snapshotOn(app, createSecrets(key), changes);
  await changes.start();
  counted = await startCountedApp();
});
afterAll(async () => {
  await changes.stop();
  await Promise.all([app.stop(), counted.stop()]);
});

const snapshotOn = ({ db }: TestApp, secrets: ReturnType<typeof createSecrets>, told: Changes) =>
  createMcpSnapshot(
    { servers: createServerLoader(db, secrets), slugs: (ids) => loadServerSlugs(db, ids) },
    told,
  );

const call = async (method: string, path: string, body?: unknown) =>
  bodyOf(await app.rest(method, `/v1/${path}`, { key: app.adminKey, body }));

let count = 0;

/** An MCP server on the built-in one, which was read. */
async function start(more: object = {}) {
  const slug = `server-${++count}`;
  const given = { name: slug, slug, url: 'mock://server', auth_type: 'none', transport: 'http', ...more };
  await call('POST', 'mcp-integrations', given);
  await eventually(async () =>
    expect(await call('GET', `mcp-integrations/${slug}/metadata`)).toMatchObject({ sync_status: 'success' }),
  );
  await call('POST', 'mcp-servers', {
    name: slug,
    slug,
    mcp_integration_id: slug,
    workspace_id: app.workspaceId,
  });
  const found = () => snapshot.server(app.organisationId, slug);
  const tools = async () => (await found())?.usable.tool.map(({ name }) => name);
  return { slug, found, tools };
}

const principal = (more: Partial<Principal> = {}): Principal => ({
  ...{
    kind: 'workspace-service',
    id: 'k',
    name: 'k',
    organisationId: app.organisationId,
    workspaceId: app.workspaceId,
  },
  ...{ userId: null, scopes: new Set(), metadata: {}, ...more },
});

const ofUser = (userId: string) => principal({ kind: 'workspace-user', userId });

describe('MCP servers in memory', () => {
  it('have what callers may use, with the credential in the clear', async () => {
    const configurations = { headers: { 'X-Key': 'clear-text-key-1f' }, pin: 'block' };
    const { slug, found } = await start({ auth_type: 'headers', configurations });
    const record = await found();
    expect(record).toMatchObject({
      ...{ slug, integrationSlug: slug, isGranted: true, defaultUserAccess: 'allow' },
      upstream: { url: 'mock://server', authType: 'headers', configurations },
      hello: { era: 'modern', protocolVersion: '2026-07-28', capabilities: { tools: {} } },
    });
    expect(record?.usable.tool.map(({ name }) => name)).toEqual(['echo', 'add', 'get-time']);
    expect(record?.byPlace.get(placeOf('resource', 'mock://server/about'))?.definition).toMatchObject({
      mimeType: 'text/plain',
    });
    expect(await snapshot.server(app.organisationId, record?.id ?? '')).toMatchObject({ slug });
    expect(await snapshot.server(neighbour.organisationId, slug)).toBeNull();
    expect(await snapshot.slugsOf(app.workspaceId)).toContain(slug);
  });

  it('are answered without a promise, and stay the same object while nothing changes', async () => {
    const { slug, found } = await start();
    // What was changed last may still be on its way.
    const settled = () =>
      eventually(async () => {
        const known = await found();
        expect(found()).toBe(known);
        return known;
      });
    const first = await settled();
    await call('POST', 'mcp-integrations', {
      ...{ name: 'other', url: 'mock://server', auth_type: 'none', transport: 'http' },
    });
    await call('PUT', `mcp-servers/${slug}`, { description: 'Another one.' });
    await eventually(async () => expect(await found()).not.toBe(first));
    await settled();
  });

  it('follow switches of the integration and of the MCP server', async () => {
    const { slug, found, tools } = await start();
    expect(await tools()).toEqual(['echo', 'add', 'get-time']);
    const set = (place: string, name: string, enabled: boolean) =>
      call('PUT', `${place}/${slug}/capabilities`, { capabilities: [{ name, type: 'tool', enabled }] });
    await set('mcp-servers', 'echo', false);
    await set('mcp-integrations', 'add', false);
    await eventually(async () => expect(await tools()).toEqual(['get-time']));
    expect((await found())?.keptBack).toEqual(new Set(['tool echo', 'tool add']));
    // What the integration keeps back, no MCP server gives.
    await set('mcp-servers', 'add', true);
    await set('mcp-servers', 'echo', true);
    await eventually(async () => expect(await tools()).toEqual(['echo', 'get-time']));
  });

  it('refuse users, workspaces and tenants that may not call them', async () => {
    const { slug, found } = await start();
    const [denied, plain] = [(await addUser(app, {}))._id, (await addUser(app, {}))._id];
    const answers = async () => {
      const record = await found();
      if (!record) throw new Error('The MCP server is gone.');
      return [principal(), ofUser(denied), ofUser(plain)].map((each) => mcpAccess(record, each));
    };
    expect(await answers()).toEqual(['allowed', 'allowed', 'allowed']);
    const access = (body: object) => call('PUT', `mcp-servers/${slug}/user-access`, body);
    await access({ user_access: [{ user_id: denied, enabled: false }] });
    await eventually(async () => expect(await answers()).toEqual(['allowed', 'forbidden', 'allowed']));
    await access({ user_access: [{ user_id: denied, enabled: true }], default_user_access: 'deny' });
    await eventually(async () => expect(await answers()).toEqual(['forbidden', 'allowed', 'forbidden']));
    const record = await found();
    if (!record) throw new Error('The MCP server is gone.');
    const elsewhere = { userId: denied, kind: 'workspace-user' } as const;
    expect(mcpAccess(record, principal({ ...elsewhere, workspaceId: 'another' }))).toBe('forbidden');
    expect(mcpAccess(record, principal({ ...elsewhere, organisationId: 'another' }))).toBe('not_found');
    // The subject of a JWT is no user of ours.
    expect(mcpAccess(record, principal({ ...elsewhere, kind: 'jwt' }))).toBe('forbidden');
  });

  it('are forbidden once their integration is withdrawn, and gone once it is deleted', async () => {
    const { slug, found } = await start();
    const workspaces = (enabled: boolean) =>
      call('PUT', `mcp-integrations/${slug}/workspaces`, { workspaces: [{ id: app.workspaceId, enabled }] });
    const first = await found();
    expect(first?.isGranted).toBe(true);
    await workspaces(false);
    await eventually(async () => expect((await found())?.isGranted).toBe(false));
    const record = await found();
    expect(record && mcpAccess(record, principal())).toBe('forbidden');
    await workspaces(true);
    await eventually(async () => expect((await found())?.isGranted).toBe(true));
    await call('DELETE', `mcp-integrations/${slug}`);
    await eventually(async () => expect(await found()).toBeNull());
    await eventually(async () => expect(await snapshot.slugsOf(app.workspaceId)).not.toContain(slug));
  });

  it('may not be used before their server was read', async () => {
    const given = {
      name: 'cold',
      slug: 'cold',
      url: 'http://127.0.0.1:8/',
      auth_type: 'none',
      transport: 'http',
    };
    await call('POST', 'mcp-integrations', given);
    await call('POST', 'mcp-servers', {
      name: 'cold',
      slug: 'cold',
      mcp_integration_id: 'cold',
      workspace_id: app.workspaceId,
    });
    const record = await eventually(async () => {
      const found = await snapshot.server(app.organisationId, 'cold');
      expect(found).not.toBeNull();
      return found;
    });
    expect(record).toMatchObject({ hello: null, usable: { tool: [] } });
  });
});

it('a call to the memory asks the database for nothing', async () => {
  const { db, organisationId, adminKey, workspaceId } = counted;
  const own = createChanges(db, createLogger('silent'));
  const memory = snapshotOn(counted, createSecrets(randomBytes(32)), own);
  const post = (path: string, body: object) => counted.rest('POST', `/v1/${path}`, { key: adminKey, body });
  const given = { name: 'm', slug: 'mmm', url: 'mock://server', auth_type: 'none', transport: 'http' };
  bodyOf(await post('mcp-integrations', given));
  bodyOf(
    await post('mcp-servers', {
      name: 'm',
      slug: 'mmm',
      mcp_integration_id: 'mmm',
      workspace_id: workspaceId,
    }),
  );
  await memory.server(organisationId, 'mmm');
  const { commands, answer } = await counted.commandsOf(async () => memory.server(organisationId, 'mmm'));
  expect([answer?.slug, commands]).toEqual(['mmm', []]);
});
