import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aggregateOf } from '../../src/mcp/aggregate/index.ts';
import type { McpServerRecord } from '../../src/mcp/snapshot/index.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { type McpEra, type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { legacyMessage, MODERN, modernMessage, post, type WireAnswer } from '../support/mcp-wire.ts';

jest.setTimeout(120_000);

let app: TestApp;
let neighbour: Tenant;
const upstreams: McpUpstream[] = [];
const long = `tool-${'x'.repeat(75)}`;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  await Promise.all([start('alpha', 'modern'), start('beta', 'sessions'), start('down', 'modern')]);
  await serveMcp(app, 'alpha', { url: 'mock://server', tenant: neighbour });
  await upstreams[2]?.stop();
});
afterAll(async () => {
  await app.stop();
  await Promise.all(upstreams.slice(0, 2).map(({ stop }) => stop()));
});

async function start(slug: string, era: McpEra) {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  upstream.tools = [tool('search'), tool(long)];
  upstream.prompts = [{ name: 'ask' }];
  upstream.resources = [
    { name: 'shared', uri: 'file:///shared' },
    { name: slug, uri: `file:///${slug}` },
  ];
  upstream.onMessage = ({ id, method, params }) => {
    const text = `${slug} ${params?.name ?? params?.uri}`;
    const results: Record<string, object> = {
      'tools/call': { content: [{ type: 'text', text }] },
      'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text } }] },
      'resources/read': { contents: [{ uri: params?.uri, text }] },
    };
    const result = results[method];
    return result ? { jsonrpc: '2.0', id, result } : undefined;
  };
  await serveMcp(app, slug, { url: upstream.url });
}

const ask = (method: string, params: Record<string, any> = {}, headers = {}, path = '/mcp') => {
  const name = params.name ?? params.uri;
  return post(app, path, modernMessage(method, params), {
    ...{ 'mcp-protocol-version': MODERN, 'mcp-method': method },
    ...(name && { 'mcp-name': name }),
    ...headers,
  });
};
const namesIn = ({ body }: WireAnswer) => body.result.tools.map(({ name }: { name: string }) => name);
const textOf = ({ body }: WireAnswer) => body.result.content[0].text;

describe('check 25: all servers together', () => {
  it('have tools of one name side by side, and long names that are cut', async () => {
    const listed = await ask('tools/list');
    const names = namesIn(listed);
    expect(names).toHaveLength(6);
    expect(names).toEqual(expect.arrayContaining(['alpha__search', 'beta__search']));
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
    expect(textOf(await ask('tools/call', { name: 'alpha__search' }))).toBe('alpha search');
    expect(textOf(await ask('tools/call', { name: 'beta__search' }))).toBe('beta search');
    const cut = names.find((name: string) => name.startsWith('beta__tool'));
    expect(textOf(await ask('tools/call', { name: cut }))).toBe(`beta ${long}`);
  });

  it('have each name once: of two ways to read it, the longer slug counts', () => {
    const capability = (name: string) => ({
      ...{ type: 'tool' as const, name, key: name, hash: '', definition: { name } },
    });
    const server = (slug: string, ...names: string[]) =>
      ({
        ...{ id: slug, slug, revision: slug },
        usable: { tool: names.map(capability), prompt: [], resource: [], resource_template: [] },
      }) as never as McpServerRecord;
    const owner = { organisationId: 'o', workspaceId: 'w' };
    const servers = [server('a', 'b__c', 'own'), server('a__b', 'c')];
    for (const order of [servers, servers.toReversed()]) {
      const { usable, places } = aggregateOf(owner, order);
      expect(usable.tool.map(({ key }) => key).sort()).toEqual(['a__b__c', 'a__own']);
      expect(places.get('tool a__b__c')).toMatchObject({ server: { slug: 'a__b' }, name: 'c' });
    }
  });

  it('have prompts, and resources of which the first server has a common one', async () => {
    const prompt = await ask('prompts/get', { name: 'beta__ask' });
    expect(prompt.body.result.messages[0].content.text).toBe('beta ask');
    const { body } = await ask('resources/list');
    expect(body.result.resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      ...['file:///shared', 'file:///alpha', 'file:///beta', 'file:///down'],
    ]);
    for (const [uri, text] of [
      ['file:///shared', 'alpha file:///shared'],
      ['file:///beta', 'beta file:///beta'],
    ])
      expect((await ask('resources/read', { uri })).body.result.contents[0].text).toBe(text);
  });

  it('say how it stands with each, and are not held up by one that is down', async () => {
    const states = async () => (await ask('tools/list')).body.result._meta['io.sluice/servers'];
    expect(await states()).toEqual({ alpha: 'ok', beta: 'ok', down: 'ok' });
    for (let time = 0; time < 5; time++)
      expect((await ask('tools/call', { name: 'down__search' })).body.error.code).toBe(-31503);
    expect(await states()).toEqual({ alpha: 'ok', beta: 'ok', down: 'unavailable' });
    await eventually(async () => {
      const resting = await ask('tools/call', { name: 'down__search' });
      const data = { retry_after_ms: expect.any(Number) };
      expect(resting.body.error).toMatchObject({ code: -31503, data });
    });
    expect(namesIn(await ask('tools/list'))).toHaveLength(6);
    expect(textOf(await ask('tools/call', { name: 'alpha__search' }))).toBe('alpha search');
  });

  it('are narrowed by a header or a query', async () => {
    const byHeader = await ask('tools/list', {}, { 'x-gateway-mcp-servers': 'beta, nowhere' });
    const byQuery = await ask('tools/list', {}, {}, '/mcp?servers=beta');
    for (const listed of [byHeader, byQuery])
      expect(new Set(namesIn(listed).map((name: string) => name.split('__')[0]))).toEqual(new Set(['beta']));
    const outside = await ask('tools/call', { name: 'alpha__search' }, { 'x-gateway-mcp-servers': 'beta' });
    expect(outside.body.error).toEqual({ code: -32602, message: 'Unknown tool: alpha__search' });
  });

  it('are those of the caller alone, in a session of their own', async () => {
    const key = { 'x-gateway-api-key': neighbour.workspaceKey };
    expect(namesIn(await ask('tools/list', {}, key))).toEqual([
      'alpha__echo',
      'alpha__add',
      'alpha__get-time',
    ]);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const opened = await post(app, '/mcp', legacyMessage('initialize', params));
    expect(opened.body.result).toMatchObject({
      serverInfo: { name: 'sluice' },
      capabilities: { tools: { listChanged: true } },
    });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const call = (path: string, name: string, more = {}) =>
      post(app, path, legacyMessage('tools/call', { name, arguments: {} }), { ...session, ...more });
    expect(textOf(await call('/mcp', 'beta__search'))).toBe('beta search');
    expect((await call('/alpha/mcp', 'search')).status).toBe(404);
    expect((await call('/mcp', 'alpha__echo', key)).status).toBe(404);
    await eventually(async () => expect(upstreams[1]?.sessions.size).toBe(0));
  });
});
