import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { OpenApi } from '../../../rest-compat/openapi/document.ts';
import { uuid } from '../../../src/lib/ids.ts';
import { mcpConnectionModel } from '../../../src/subgraphs/mcp/mcp-connection/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { addUser } from '../../support/users.ts';
import { bodyOf } from '../support.ts';
import { describedBy } from './described.ts';

let app: TestApp;
let neighbour: Tenant;
let document: OpenApi;
const { mistakesIn, takes, exampleOf } = describedBy(() => document);
const ids: Record<string, string> = {};

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  document = (await app.rest('GET', '/openapi.json', { key: null })).body as OpenApi;
  ids.userId = (await addUser(app, { inWorkspace: 'member' }))._id;
});
afterAll(() => app.stop());

const integration = { name: 'Mock', url: 'mock://server', auth_type: 'none', transport: 'http' };
const capabilities = { capabilities: [{ name: 'echo', type: 'tool', enabled: false }] };
const [ofIntegration, ofServer] = [
  '/v1/mcp-integrations/{mcpIntegrationId}',
  '/v1/mcp-servers/{mcpServerId}',
];

type Step = [
  method: string,
  template: string,
  body?: object | (() => object),
  more?: { query?: () => string },
];

/** The operations in an order in which each finds what it needs. */
const steps: Step[] = [
  ['POST', '/v1/mcp-integrations', integration],
  ['GET', '/v1/mcp-integrations'],
  ['GET', ofIntegration],
  ['GET', `${ofIntegration}/metadata`],
  ['PUT', ofIntegration, { description: 'For a first try.' }],
  ['PUT', `${ofIntegration}/workspaces`, () => ({ workspaces: [{ id: app.workspaceId, enabled: true }] })],
  ['GET', `${ofIntegration}/workspaces`],
  ['GET', `${ofIntegration}/capabilities`],
  ['PUT', `${ofIntegration}/capabilities`, capabilities],
  ['POST', `${ofIntegration}/test`],
  [
    'POST',
    '/v1/mcp-servers',
    () => ({ name: 'Mock', workspace_id: app.workspaceId, mcp_integration_id: ids.mcpIntegrationId }),
  ],
  ['GET', '/v1/mcp-servers'],
  ['GET', ofServer],
  ['GET', `${ofServer}/metadata`],
  ['PUT', ofServer, { description: 'For a first try.' }],
  ['GET', `${ofServer}/capabilities`],
  ['PUT', `${ofServer}/capabilities`, capabilities],
  ['POST', `${ofServer}/test`],
  ['PUT', `${ofServer}/user-access`, { default_user_access: 'deny' }],
  ['GET', `${ofServer}/user-access`],
  ['GET', `${ofServer}/connections`],
  ['GET', '/v0.1/servers'],
  ['DELETE', `${ofServer}/connections`, undefined, { query: () => `user_id=${ids.userId}` }],
  ['DELETE', ofServer],
  ['DELETE', ofIntegration],
];

/** What the next operations name, and what no operation makes. */
async function note(template: string, { id }: { id: string }): Promise<void> {
  const { organisationId } = app;
  if (template === '/v1/mcp-servers') ids.mcpServerId = id;
  if (template !== '/v1/mcp-integrations') return;
  ids.mcpIntegrationId = id;
  await mcpConnectionModel(app.db).create({
    ...{
      _id: uuid(),
      organisationId,
      mcpIntegrationId: id,
      userId: ids.userId,
      issuer: 'https://issuer.example',
    },
  });
  await eventually(async () =>
    expect(
      (await app.rest('GET', `/v1/mcp-integrations/${id}/metadata`, { key: app.adminKey })).body,
    ).toMatchObject({
      sync_status: 'success',
    }),
  );
}

it.each(steps.map((step) => [step.slice(0, 2).join(' '), step] as const))(
  '%s answers and refuses as it is described',
  async (_label, [method, template, given, more]) => {
    const body = typeof given === 'function' ? given() : given;
    const own = more?.query?.() ?? '';
    const path = template.replace(/\{(\w+)\}/, (_, name: string) => ids[name] ?? 'none');
    const expectAnswer = async (status: number, options: object, query = own) => {
      const answer = await app.rest(method, `${path}${query && `?${query}`}`, {
        key: app.adminKey,
        body,
        ...options,
      });
      expect([answer.status, mistakesIn(template, method, answer)]).toEqual([status, []]);
      return answer;
    };
    await expectAnswer(401, { key: null });
    await expectAnswer(400, {}, 'colour=red');
    if (body) await expectAnswer(415, { body: 'text', headers: { 'content-type': 'text/plain' } });
    if (template.includes('{')) await expectAnswer(404, { key: neighbour.adminKey });
    if (takes(method, template, 'If-Match'))
      await expectAnswer(412, { headers: { 'if-match': '"another"' } });
    const repeats = takes(method, template, 'Idempotency-Key');
    const headers = repeats ? { 'idempotency-key': `${method}-${template}` } : undefined;
    const answer = await expectAnswer(200, { headers });
    if (repeats) {
      const again = await expectAnswer(200, { headers });
      expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', answer.body]);
      if (body) await expectAnswer(422, { headers, body: { ...body, name: 'another' } });
    }
    if (method === 'GET') {
      const { data, servers = data } = answer.body as { data?: unknown[]; servers?: unknown[] };
      if (servers) expect(servers).not.toEqual([]);
      await expectAnswer(304, { headers: { 'if-none-match': answer.headers.get('etag') } });
    }
    if (method === 'POST') await note(template, answer.body as { id: string });
    if (method === 'DELETE') await expectAnswer(404, {});
  },
);

it('every operation of the family is asked', () => {
  const described = Object.entries(document.paths)
    .filter(([path]) => /^\/v1\/mcp-|^\/v0\.1\//.test(path))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  expect(described.sort()).toEqual(steps.map(([method, path]) => `${method} ${path}`).sort());
});

it('every example body is taken, with names that are there', async () => {
  const send = async (method: string, template: string, names: object = {}, id = '') => {
    const body = { ...exampleOf(method, template), ...names };
    return bodyOf(await app.rest(method, template.replace(/\{\w+\}/, id), { key: app.adminKey, body }));
  };
  const made = await send('POST', '/v1/mcp-integrations', { url: 'http://127.0.0.1:8/mcp' });
  await send('PUT', ofIntegration, {}, made.id);
  const workspaces = [{ id: app.workspaceId, enabled: true }];
  await send('PUT', `${ofIntegration}/workspaces`, { workspaces }, made.id);
  const names = { workspace_id: app.workspaceId, mcp_integration_id: made.slug };
  const server = await send('POST', '/v1/mcp-servers', names);
  await send('PUT', ofServer, {}, server.id);
  await send('PUT', `${ofServer}/user-access`, {}, server.id);
});
