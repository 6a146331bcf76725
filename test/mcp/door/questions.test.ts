import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CreateMessageRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { startApp, type TestApp } from '../../support/app.ts';
import { connectLegacy, serveMcp } from '../../support/mcp-clients.ts';
import { type McpEra, type McpUpstream, startMcpUpstream } from '../../support/mcp-upstream.ts';
import { askModern } from '../../support/mcp-wire.ts';

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

const questions = {
  sampling: {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'Who?' } }], maxTokens: 5 },
  },
  roots: { method: 'roots/list', params: {} },
} as const;
type Feature = keyof typeof questions;

const textOf = ({ content, roots }: any): string => content?.text ?? roots?.[0].uri;
const done = (text: string) => ({ content: [{ type: 'text', text }] });

/** A server whose tool asks its caller for something, and answers with what it was told. */
async function asking(era: McpEra, feature: Feature): Promise<McpUpstream> {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  let calling: ((text: string) => void) | null = null;
  upstream.onMessage = ({ id, method, params, result, error }, response) => {
    if (id === 'asked') calling?.(result ? textOf(result) : `refused ${error.code}`);
    if (method !== 'tools/call') return undefined;
    if (era === 'modern') {
      const given = params.inputResponses?.wanted;
      const asked = { resultType: 'input_required', inputRequests: { wanted: questions[feature] } };
      return { jsonrpc: '2.0', id, result: given ? done(textOf(given)) : asked };
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (value: object) =>
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`);
    calling = (text) => {
      say({ id, result: done(text) });
      response.end();
    };
    say({ id: 'asked', ...questions[feature] });
    return true;
  };
  return upstream;
}

const capabilities = { sampling: {}, roots: {} };

async function client(slug: string) {
  const connected = await connectLegacy(app, slug, { capabilities });
  connected.client.setRequestHandler(CreateMessageRequestSchema, async () => ({
    ...{ role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'Ada' } },
  }));
  connected.client.setRequestHandler(ListRootsRequestSchema, async () => ({
    roots: [{ uri: 'file:///ada' }],
  }));
  return connected;
}

describe.each(['sampling', 'roots'] as const)('check 16: a server that asks for %s', (feature) => {
  it.each(['sessions', 'modern'] as const)('is answered by a caller with a session: %s', async (era) => {
    const slug = `${feature}-${era}`;
    await serveMcp(app, slug, { url: (await asking(era, feature)).url });
    const { client: caller, close } = await client(slug);
    const { content } = await caller.callTool({ name: 'search', arguments: {} });
    expect(content).toEqual(done(feature === 'sampling' ? 'Ada' : 'file:///ada').content);
    await close();
  });

  it('passes its question to callers of its own era', async () => {
    const { body } = await askModern(app, `${feature}-modern`, 'tools/call', {
      ...{ name: 'search', arguments: {} },
      _meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities },
    });
    expect(body.result.inputRequests).toEqual({ wanted: questions[feature] });
  });

  it.each(['sessions', 'modern'] as const)('never hears of it where it is switched off: %s', async (era) => {
    const slug = `no-${feature}-${era}`;
    const upstream = await asking(era, feature);
    const configurations = { client_features: { [feature]: false } };
    await serveMcp(app, slug, { url: upstream.url, configurations });
    const { client: caller, close } = await client(slug);
    const called = caller.callTool({ name: 'search', arguments: {} });
    if (era === 'sessions') expect((await called).content).toEqual(done('refused -32601').content);
    else await expect(called).rejects.toMatchObject({ code: -31502 });
    const said = JSON.stringify(upstream.requests.map(({ body }) => body?.params ?? null));
    expect(said).not.toContain(`"${feature}":`);
    await close();
  });
});
