import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser, signedIn } from '../support/browser.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { addUser } from '../support/users.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  await serveMcp(app, 'mock', { url: 'mock://server' });
  browser = await signedIn(app, (await addUser(app, { inWorkspace: 'admin' }))._id);
});
afterAll(() => app.stop());

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { message: 'hello' } },
};
const accept = 'application/json, text/event-stream';

/** Sends a message as a page of the console does. */
const send = (by: Browser, slug: string, message: unknown = call, headers: Record<string, string> = {}) =>
  by.send('POST', `/v1/mcp/${slug}`, message, {
    accept,
    'x-gateway-workspace-id': app.workspaceId,
    ...headers,
  });

/** Calls of tools that are in the log. */
async function loggedCalls(): Promise<{ source: string | null }[]> {
  await app.logged();
  const { data } = await app.graphql(
    '{ logHistory(filters: { endpoint: ["mcp"] }, limit: 100) { data { source } } }',
  );
  return data.logHistory.data;
}

describe('tools of MCP servers, for who is signed in to the console', () => {
  it('are called as the person, and the log says from where', async () => {
    const { status, body } = await send(browser, 'mock');
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('"hello"')]);
    expect(await loggedCalls()).toContainEqual(expect.objectContaining({ source: 'console' }));
  });

  it('refuse a message that is none', async () => {
    const { status, body } = await send(browser, 'mock', { method: 7 });
    expect([status, body.error.code]).toEqual([400, -32600]);
  });

  it('are closed to who is not signed in, to other pages, and to a key behind no cookie', async () => {
    const stranger = openBrowser(app);
    expect((await send(stranger, 'mock')).status).toBe(401);
    expect((await send(stranger, 'mock', call, { 'x-gateway-api-key': app.workspaceKey })).status).toBe(401);
    expect((await send(browser, 'mock', call, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('are closed to whoever may not call tools', async () => {
    const holder = openBrowser(app);
    await holder.signIn({ key: app.adminKey });
    const { status, body } = await send(holder, 'mock');
    expect([status, body.error.code]).toEqual([403, -31403]);
  });

  it('are not there for a neighbour, and neither is a server that nobody has', async () => {
    const tenant = await app.createTenant();
    const neighbour = await signedIn(
      app,
      (await addUser(app, { tenant, inWorkspace: 'admin' }))._id,
      tenant.adminKey,
    );
    const there = { 'x-gateway-workspace-id': tenant.workspaceId };
    const absent = await send(neighbour, 'nobody', call, there);
    const foreign = await send(neighbour, 'mock', call, there);
    expect([absent.status, foreign.status]).toEqual([404, 404]);
    expect(foreign.body.error.message).toBe(absent.body.error.message.replace('nobody', 'mock'));
  });
});
