import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import { askModern, callModern, legacyMessage, openLegacy, post } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

let app: TestApp;
let quiet: TestApp;
const META = 'io.modelcontextprotocol/';
beforeAll(async () => {
  app = await startApp();
  quiet = await startApp({ MCP_LOGS: 'calls' });
  await serveMcp(app, 'first', { url: 'mock://server' });
  await serveMcp(quiet, 'first', { url: 'mock://server' });
});
afterAll(async () => {
  await quiet.stop();
  await app.stop();
});

/** What the log says of each request, in their order. */
const rowsOf = async (of: TestApp): Promise<any[]> => {
  await of.logged();
  const rows = await of.db.collection('logs').find({ endpoint: 'mcp' }).sort({ createdAt: 1 }).toArray();
  return rows.map(({ mcp, ...row }) => ({ ...row, mcp: JSON.parse(String(mcp)) }));
};

/** Does something, and waits for the rows that it has added. */
async function added(of: TestApp, count: number, act: () => Promise<unknown>): Promise<any[]> {
  const before = (await rowsOf(of)).length;
  await act();
  return eventually(async () => {
    const rows = (await rowsOf(of)).slice(before);
    expect(rows).toHaveLength(count);
    return rows;
  });
}

const workspaceKeyWithout = async (scopes: string[]) => {
  const { body } = await app.rest('POST', '/v1/api-keys/workspace/service', {
    key: app.adminKey,
    body: { name: `k${scopes.length}`, workspace_id: app.workspaceId, scopes },
  });
  return (body as { key: string }).key;
};

describe('check 19: the log', () => {
  it('has a row for each request, whoever answers it, but for pings', async () => {
    const rows = await added(app, 6, async () => {
      const { headers } = await openLegacy(app, 'first');
      for (const method of ['ping', 'tools/list', 'logging/setLevel', 'nonsense'])
        await post(app, '/first/mcp', legacyMessage(method), headers);
      await askModern(app, 'first', 'server/discover');
      await askModern(app, 'first', 'tools/list', {}, { 'mcp-method': 'tools/call' });
    });
    expect(
      rows.map(({ aiModel, isSuccess, mcp }) => [aiModel, mcp.method, isSuccess, mcp.errorCode]),
    ).toEqual([
      ['first/initialize', 'initialize', true, null],
      ['first/tools/list', 'tools/list', true, null],
      ['first/logging/setLevel', 'logging/setLevel', true, null],
      ['first/nonsense', 'nonsense', false, -32601],
      ['first/server/discover', 'server/discover', true, null],
      ['first/tools/list', 'tools/list', false, -32020],
    ]);
    expect(rows.map(({ responseStatusCode }) => responseStatusCode)).toEqual([200, 200, 200, 200, 200, 400]);
  });

  it('has a row for each refusal at the door of a caller who is known, in the workspace of the caller', async () => {
    const key = await workspaceKeyWithout(['completions.write']);
    const rows = await added(app, 4, async () => {
      const list = legacyMessage('tools/list');
      expect((await post(app, '/first/mcp', list, { 'x-gateway-api-key': key })).status).toBe(403);
      expect((await post(app, '/nowhere/mcp', list)).status).toBe(404);
      expect((await post(app, '/first/mcp', list, { 'mcp-session-id': 'gws_none' })).status).toBe(404);
      expect((await post(app, '/first/mcp', 'no json')).status).toBe(400);
      expect((await post(app, '/first/mcp', list, { 'x-gateway-api-key': 'sk-unknown' })).status).toBe(401);
      expect((await post(app, '/first/mcp', list, { 'x-gateway-api-key': app.adminKey })).status).toBe(403);
    });
    expect(
      rows.map((row) => [row.aiModel, row.responseStatusCode, row.mcp.status, row.mcp.errorCode]),
    ).toEqual([
      ['first', 403, 'denied', -31403],
      ['nowhere', 404, 'denied', -31404],
      ['first', 404, 'denied', -32001],
      ['first', 400, 'denied', -32700],
    ]);
    for (const row of rows)
      expect(row).toMatchObject({
        ...{ workspaceId: app.workspaceId, organisationId: app.organisationId, isSuccess: false },
        mcp: { refusedBy: 'door' },
      });
    expect(JSON.stringify(rows)).not.toContain('sk-unknown');
  });

  it('says which client called, after how long it was sent, and which process has answered', async () => {
    const rows = await added(app, 4, async () => {
      const { headers } = await openLegacy(app, 'first');
      const echo = { name: 'echo', arguments: { message: 'x' } };
      await post(app, '/first/mcp', legacyMessage('tools/call', echo), headers);
      await callModern(app, 'first', 'echo', { message: 'x' });
      const client = { [`${META}clientInfo`]: { name: ['no text'], version: 'v'.repeat(1000) } };
      await askModern(app, 'first', 'tools/list', { _meta: client });
    });
    const clients = rows.map(({ mcp }) => [mcp.clientName, mcp.clientVersion]);
    expect(clients).toEqual([...Array(3).fill(['test', '1']), [null, 'v'.repeat(64)]]);
    expect(new Set(rows.map(({ mcp }) => mcp.instance))).toEqual(new Set([`${hostname()}:${process.pid}`]));
    expect(rows.map(({ mcp }) => typeof mcp.queueMs)).toEqual(['object', 'number', 'number', 'object']);
    expect(rows.map(({ mcp }) => mcp.tokenRefreshed)).toEqual([false, false, false, false]);
  });

  it('has rows of calls alone where MCP_LOGS says so, and of refusals', async () => {
    const rows = await added(quiet, 2, async () => {
      await askModern(quiet, 'first', 'tools/list');
      await callModern(quiet, 'first', 'echo', { message: 'x' });
      await post(quiet, '/nowhere/mcp', legacyMessage('tools/list'));
    });
    expect(rows.map(({ aiModel }) => aiModel)).toEqual(['first/echo', 'nowhere']);
  });
});
