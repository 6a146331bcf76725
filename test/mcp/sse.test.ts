import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { connectLegacy, serveMcp } from '../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { callModern } from '../support/mcp-wire.ts';

jest.setTimeout(120_000);

let app: TestApp;
let upstream: McpUpstream;
beforeAll(async () => {
  app = await startApp();
  upstream = await startMcpUpstream('sse');
  upstream.tools = [tool('say')];
  await serveMcp(app, 'old', {
    ...{ url: upstream.url, transport: 'sse', auth_type: 'headers' },
    configurations: { headers: { 'x-own': 'a-credential' } },
  });
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

const said = (id: unknown, text: string) => ({
  ...{ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } },
});

describe('a server of 2024-11-05', () => {
  it('answers each caller on a connection of its own, whatever the ids of their requests', async () => {
    upstream.onMessage = ({ id, method, params }, stream) => {
      if (method !== 'tools/call') return undefined;
      const { text } = params.arguments;
      const reply = said(id, text);
      void wait(text === 'a' ? 60 : 0).then(() => stream.write(`data: ${JSON.stringify(reply)}\n\n`));
      return true;
    };
    const { client, close } = await connectLegacy(app, 'old');
    const answers = await Promise.all([
      ...['a', 'b'].map(async (text) => (await callModern(app, 'old', 'say', { text })).body.result),
      client.callTool({ name: 'say', arguments: { text: 'c' } }),
    ]);
    expect(answers.map(({ content }) => content[0].text)).toEqual(['a', 'b', 'c']);
    await close();
    const calls = upstream.requests.filter(({ body }) => body?.method === 'tools/call');
    expect(new Set(calls.map(({ path }) => path)).size).toBe(3);
    expect(calls[0]?.headers['x-own']).toBe('a-credential');
    await eventually(async () => expect(upstream.openStreams()).toBe(0));
  });

  it('tells its errors, and what breaks off or lasts too long may have been done', async () => {
    const error = { code: -32000, message: 'no' };
    upstream.onMessage = ({ id, method }) =>
      method === 'tools/call' ? { jsonrpc: '2.0', id, error } : undefined;
    expect((await callModern(app, 'old', 'say')).body.error).toEqual(error);
    upstream.onMessage = ({ method }, stream) => {
      if (method === 'tools/call') stream.destroy();
      return method === 'tools/call' ? true : undefined;
    };
    const broken = { server: 'old', maybe_executed: true };
    expect((await callModern(app, 'old', 'say')).body.error.data).toEqual(broken);
    upstream.onMessage = ({ method }) => (method === 'tools/call' ? true : undefined);
    const late = await callModern(app, 'old', 'say', {}, { 'x-gateway-request-timeout': '3000' });
    expect(late.body.error).toMatchObject({ code: -31504, data: broken });
    upstream.onMessage = () => undefined;
    upstream.status = 401;
    const refused = await callModern(app, 'old', 'say');
    expect(refused.body.error).toMatchObject({ code: -31502, data: { maybe_executed: false } });
    upstream.status = null;
  });
});
