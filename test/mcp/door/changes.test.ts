import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { connectLegacy, serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../../support/mcp-upstream.ts';
import { callModern } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

let app: TestApp;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.stop();
  await Promise.all(upstreams.map(({ stop }) => stop()));
});

async function upstreamOf(era: 'modern' | 'sessions'): Promise<McpUpstream> {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  return upstream;
}

const notice = (method: string) => `data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`;
const namesOf = async (client: { listTools(): Promise<{ tools: { name: string }[] }> }) =>
  (await client.listTools()).tools.map(({ name }) => name);

describe('check 27: a server that says that it has changed', () => {
  it('is read at once where somebody wants to know, in the modern era by a subscription', async () => {
    const upstream = await upstreamOf('modern');
    const open: ServerResponse[] = [];
    upstream.onMessage = ({ method }, response) => {
      if (method !== 'subscriptions/listen') return undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(notice('notifications/subscriptions/acknowledged'));
      open.push(response);
      response.on('close', () => open.splice(open.indexOf(response), 1));
      return true;
    };
    await serveMcp(app, 'telling', { url: upstream.url });
    const { client, close } = await connectLegacy(app, 'telling');
    // Both of them are told out of one subscription at the server.
    const other = await connectLegacy(app, 'telling');
    await eventually(async () => expect(open).toHaveLength(1));
    upstream.tools = [tool('search'), tool('find')];
    for (const response of open) response.write(notice('notifications/tools/list_changed'));
    await eventually(async () => expect(await namesOf(client)).toEqual(['search', 'find']));
    await close();
    expect(open).toHaveLength(1);
    await other.close();
    await eventually(async () => expect(open).toHaveLength(0));
  });

  it('is read at once where it says so on the stream of a session, or of a call', async () => {
    const upstream = await upstreamOf('sessions');
    let stream: ServerResponse | null = null;
    upstream.onGet = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      stream = response;
    };
    upstream.onMessage = ({ id, method }, response) => {
      if (method !== 'tools/call') return undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(notice('notifications/tools/list_changed'));
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
      return true;
    };
    await serveMcp(app, 'older', { url: upstream.url });
    const { client, close } = await connectLegacy(app, 'older');
    await eventually(async () => expect(stream).not.toBeNull());
    upstream.tools = [tool('search'), tool('find')];
    (stream as ServerResponse | null)?.write(notice('notifications/tools/list_changed'));
    await eventually(async () => expect(await namesOf(client)).toEqual(['search', 'find']));
    upstream.tools = [tool('search'), tool('gather')];
    await callModern(app, 'older', 'search');
    await eventually(async () => expect(await namesOf(client)).toEqual(['search', 'gather']));
    await close();
  });

  it('is read at once where it has not got a tool any more that is called', async () => {
    const upstream = await upstreamOf('modern');
    upstream.onMessage = ({ id, method }) =>
      method === 'tools/call'
        ? { jsonrpc: '2.0', id, error: { code: -32602, message: 'Unknown tool: search' } }
        : undefined;
    await serveMcp(app, 'forgetful', { url: upstream.url });
    const { client, close } = await connectLegacy(app, 'forgetful');
    upstream.tools = [tool('find')];
    expect((await callModern(app, 'forgetful', 'search')).body.error.code).toBe(-32602);
    await eventually(async () => expect(await namesOf(client)).toEqual(['find']));
    await close();
  });

  it('is read as often as it needs, however often it says so', async () => {
    const upstream = await upstreamOf('sessions');
    upstream.onMessage = ({ id, method }, response) => {
      if (method !== 'tools/call') return undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let turn = 0; turn < 200; turn++) response.write(notice('notifications/tools/list_changed'));
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
      return true;
    };
    await serveMcp(app, 'noisy', { url: upstream.url });
    const readings = () => upstream.requests.filter(({ body }) => body?.method === 'tools/list').length;
    const before = readings();
    upstream.tools = [tool('search'), tool('find')];
    await callModern(app, 'noisy', 'search');
    const { client, close } = await connectLegacy(app, 'noisy');
    await eventually(async () => expect(await namesOf(client)).toEqual(['search', 'find']));
    expect(readings() - before).toBeLessThan(10);
    await close();
  });
});
