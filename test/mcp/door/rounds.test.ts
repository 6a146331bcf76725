import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { connectLegacy, serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream } from '../../support/mcp-upstream.ts';
import { askModern, callModern, eventsIn, legacyMessage, openLegacy, post } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

let app: TestApp;
let other: TestApp;
let upstream: McpUpstream;
const question = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
};
beforeAll(async () => {
  const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  app = await startApp(env);
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
  upstream = await startMcpUpstream('modern');
  // It keeps nothing: what it has to know comes back with the answers.
  upstream.onMessage = ({ id, method, params }) => {
    if (method !== 'tools/call') return undefined;
    const result = params.inputResponses
      ? {
          content: [
            { type: 'text', text: `${params.requestState} ${params.inputResponses.who.content.name}` },
          ],
        }
      : { resultType: 'input_required', inputRequests: { who: question }, requestState: 'kept' };
    return { jsonrpc: '2.0', id, result };
  };
  await serveMcp(app, 'asking', { url: upstream.url });
  await serveMcp(app, 'shy', {
    url: upstream.url,
    configurations: { client_features: { elicitation_form: false } },
  });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await upstream.stop();
});

const search = legacyMessage('tools/call', { name: 'search', arguments: {} });

it('check 15: what a server of the modern era asks reaches a caller of the older one', async () => {
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const { client, close } = await connectLegacy(app, 'asking', { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    expect(params.message).toBe('Who?');
    return { action: 'accept', content: { name: 'Ada' } };
  });
  const { content } = await client.callTool({ name: 'search', arguments: {} });
  expect(content).toEqual([{ type: 'text', text: 'kept Ada' }]);
  await close();
});

it('check 15: its answer may come to another process', async () => {
  const { headers } = await openLegacy(app, 'asking', { capabilities: { elicitation: {} } });
  const response = await fetch(`${app.url}/asking/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'x-gateway-api-key': app.workspaceKey, ...headers },
    },
    body: JSON.stringify(search),
  });
  const reader = response.body?.getReader();
  let text = '';
  const read = async (until: (events: any[]) => boolean) => {
    while (!until(eventsIn(text))) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) throw new Error(`The stream ended after ${text}`);
      text += Buffer.from(value ?? []).toString('utf8');
    }
    return eventsIn(text);
  };
  const [asked] = await read((events) => events.length > 0);
  expect(asked).toMatchObject(question);
  const own = { ...headers, 'x-gateway-api-key': app.workspaceKey };
  const answer = (id: string) => ({
    jsonrpc: '2.0',
    id,
    result: { action: 'accept', content: { name: 'Grace' } },
  });
  const taken = await post(other, '/asking/mcp', answer(asked?.id), own);
  expect(taken.status).toBe(202);
  const events = await read((all) => all.length > 1);
  expect(events[1]?.result.content).toEqual([{ type: 'text', text: 'kept Grace' }]);
});

it('is not asked of callers who cannot answer, and servers are told so before', async () => {
  for (const [slug, capabilities] of [
    ['asking', {}],
    ['shy', { elicitation: {} }],
  ] as const) {
    const { headers } = await openLegacy(app, slug, { capabilities });
    upstream.requests.length = 0;
    const { body } = await post(app, `/${slug}/mcp`, search, headers);
    expect(body.error.code).toBe(-31502);
    const [asked] = upstream.requests;
    expect(asked?.body?.params._meta['io.modelcontextprotocol/clientCapabilities']).toEqual({});
  }
});

it.each(['sessions', 'legacy'] as const)(
  'check 15: a server of an older era never sees that a caller of the modern one could answer: %s',
  async (era) => {
    const old = await startMcpUpstream(era);
    let refused: unknown = null;
    let finish = () => {};
    old.onMessage = ({ id, method, error }, response) => {
      if (id === 'asked') {
        refused = error?.code;
        finish();
      }
      if (method !== 'tools/call') return undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const say = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
      finish = () => response.end(say({ id, result: { content: [{ type: 'text', text: 'alone' }] } }));
      response.write(say({ id: 'asked', ...question }));
      return true;
    };
    const slug = `old-${era}`;
    await serveMcp(app, slug, { url: old.url });
    old.requests.length = 0;
    const clientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': clientCapabilities };
    const asked = { name: 'search', arguments: {}, _meta };
    const { body } = await askModern(app, slug, 'tools/call', asked);
    expect(body.result.content).toEqual([{ type: 'text', text: 'alone' }]);
    expect(refused).toBe(-32601);
    const opened = old.requests.filter(({ body: sent }) => sent?.method === 'initialize');
    for (const { body: sent } of opened) expect(sent?.params.capabilities).toEqual({});
    if (era === 'sessions') expect(opened).toHaveLength(1);
    const said = JSON.stringify(old.requests.map(({ body: sent }) => sent?.params ?? null));
    for (const feature of Object.keys(clientCapabilities)) expect(said).not.toContain(`"${feature}"`);
    await old.stop();
  },
);

it('passes unchanged to callers of the modern era', async () => {
  const { body } = await callModern(app, 'asking', 'search');
  expect(body.result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { who: question },
    requestState: 'kept',
  });
  const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } };
  const answered = await askModern(app, 'asking', 'tools/call', {
    ...{ name: 'search', arguments: {}, inputResponses, requestState: 'kept' },
  });
  expect(answered.body.result.content).toEqual([{ type: 'text', text: 'kept Ada' }]);
});

it('a resource that a result has named is read at any process, by whom it was named to alone', async () => {
  const library = await startMcpUpstream('modern');
  const named = 'files://library/named';
  library.onMessage = ({ id, method, params }) => {
    if (method === 'tools/call')
      return {
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'resource_link', uri: named, name: 'named' }] },
      };
    if (method !== 'resources/read') return undefined;
    return { jsonrpc: '2.0', id, result: { contents: [{ uri: params.uri, text: 'read' }] } };
  };
  await serveMcp(app, 'library', { url: library.url });
  const { body } = await app.rest('POST', '/v1/api-keys/workspace/service', {
    key: app.adminKey,
    body: { name: 'another', workspace_id: app.workspaceId, scopes: ['mcp.invoke'] },
  });
  const another = { 'x-gateway-api-key': (body as { key: string }).key };
  const own = { 'x-gateway-api-key': app.workspaceKey };
  const read = async (at: TestApp, uri: string, slug = 'library', headers = own) => {
    const answer = await askModern(at, slug, 'resources/read', { uri }, headers);
    return answer.body.result?.contents[0].text ?? answer.body.error.code;
  };
  await eventually(async () =>
    expect((await askModern(other, 'library', 'tools/list', {}, own)).status).toBe(200),
  );
  expect(await read(other, named)).toBe(-32602);
  await callModern(app, 'library', 'search');
  expect(await read(app, named)).toBe('read');
  expect(await read(other, named)).toBe('read');
  expect(await read(other, named, '')).toBe('read');
  expect(await read(other, `${named}/more`)).toBe(-32602);
  expect(await read(app, named, 'library', another)).toBe(-32602);
  expect(await read(other, named, 'library', another)).toBe(-32602);
  expect(await read(other, named, '', another)).toBe(-32602);
  expect(JSON.stringify(await app.db.collection('mcp_links').find().toArray())).not.toContain(
    'library/named',
  );
  await library.stop();
});
