import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { connectLegacy, serveMcp } from '../support/mcp-clients.ts';
import { type McpEra, type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { askModern, callModern, legacyMessage, modernMessage, post } from '../support/mcp-wire.ts';

jest.setTimeout(120_000);

type Json = Record<string, any>;

let app: TestApp;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.stop();
  await Promise.all(upstreams.map(({ stop }) => stop()));
});

const rest = async (method: string, path: string, body: unknown, key = app.adminKey) => {
  const answer = await app.rest(method, `/v1${path}`, { key, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body as { id: string };
};

const without = (word: string) => [
  { id: 'default.contains', parameters: { words: [word], operator: 'none' } },
];
const masking = [{ id: 'default.regexReplace', parameters: { rule: 'secret-\\d+', redactText: '[masked]' } }];

let count = 0;
const made = async (checks: object[], actions: object = { deny: true }) =>
  (await rest('POST', '/org-guardrails', { name: `g${++count}`, checks, actions })).id;
const enforce = (input_guardrails: string[], output_guardrails: string[] = []) =>
  rest('PUT', '/admin/organisation/defaults', { input_guardrails, output_guardrails });
const exclude = (excluded: boolean) =>
  rest('PUT', '/workspace-exclusions/input-guardrails', {
    workspaces: [{ workspace_id: app.workspaceId, excluded }],
  });

beforeEach(() => enforce([]));

/** A server that repeats what it is told, in whatever it answers. */
async function start(era: McpEra = 'modern') {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  upstream.tools = [tool('say')];
  upstream.prompts = [{ name: 'ask' }];
  upstream.templates = [{ name: 'note', uriTemplate: 'note://{word}' }];
  upstream.onMessage = ({ id, method, params = {} }) => {
    const text = params.arguments?.text ?? params.argument?.value ?? params.uri;
    const results: Record<string, Json> = {
      'tools/call': {
        content: [
          { type: 'text', text },
          { type: 'resource_link', name: text, uri: 'x://y' },
        ],
      },
      'prompts/get': { description: text, messages: [{ role: 'user', content: { type: 'text', text } }] },
      'resources/read': { contents: [{ uri: params.uri, text }] },
      'completion/complete': { completion: { values: [text] } },
    };
    const result = results[method];
    if (result && text === 'fails')
      return { jsonrpc: '2.0', id, error: { code: -32000, message: 'secret-1', data: { why: 'evil' } } };
    return result && { jsonrpc: '2.0', id, result };
  };
  const slug = `server-${++count}`;
  await serveMcp(app, slug, { url: upstream.url });
  upstream.requests.length = 0;
  const reached = () => upstream.requests.filter(({ body }) => body?.method?.includes('/')).length;
  return { upstream, slug, reached };
}

const ways = {
  'tools/call': (text: string) => ({ name: 'say', arguments: { text } }),
  'prompts/get': (text: string) => ({ name: 'ask', arguments: { text } }),
  'resources/read': (text: string) => ({ uri: `note://${encodeURIComponent(text)}` }),
  'completion/complete': (value: string) => ({
    ...{ ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'text', value } },
  }),
};

describe('a guardrail of the organisation', () => {
  it('refuses what callers say to servers, in every request, its metadata and names of its members', async () => {
    const { slug, reached } = await start();
    await enforce([await made(without('evil'))]);
    for (const [method, paramsOf] of Object.entries(ways)) {
      const { body } = await askModern(app, slug, method, paramsOf('evil'));
      if (method === 'tools/call') expect(body.result).toMatchObject({ isError: true });
      else expect(body).toMatchObject({ error: { code: -31446 } });
    }
    for (const more of [{ _meta: { 'com.example/note': 'evil' } }, { arguments: { 'an evil name': 1 } }]) {
      const { body } = await askModern(app, slug, 'tools/call', { name: 'say', ...more });
      expect(body.result).toMatchObject({ isError: true });
    }
    const shared = await post(
      app,
      `/mcp?servers=${slug}`,
      legacyMessage('tools/call', { name: `${slug}__say`, arguments: { text: 'evil' } }),
    );
    expect(shared.body.result).toMatchObject({ isError: true });
    expect(reached()).toBe(0);
    for (const [method, paramsOf] of Object.entries(ways))
      expect((await askModern(app, slug, method, paramsOf('good'))).body.result.isError).toBeUndefined();
    expect(reached()).toBe(4);
  });

  it('masks and refuses what servers say, in results and in errors', async () => {
    const { slug } = await start();
    await enforce([], [await made(masking, { deny: false }), await made(without('evil'))]);
    for (const [method, paramsOf] of Object.entries(ways)) {
      const text = JSON.stringify((await askModern(app, slug, method, paramsOf('my secret-22'))).body.result);
      expect(text).toContain('[masked]');
      if (method !== 'resources/read') expect(text).not.toContain('secret-22');
      const { body } = await askModern(app, slug, method, paramsOf('evil'));
      expect(body.error?.code ?? body.result.isError).toBe(method === 'tools/call' ? true : -31446);
    }
    const failed = await askModern(app, slug, 'prompts/get', ways['prompts/get']('fails'));
    expect(failed.body.error).toMatchObject({ code: -31446 });
    await enforce([], [await made(masking, { deny: false })]);
    const masked = await callModern(app, slug, 'say', { text: 'fails' });
    expect(masked.body.error).toEqual({ code: -32000, message: '[masked]', data: { why: 'evil' } });
  });

  it('looks at what a server asks before it answers, and at what it is told', async () => {
    const { upstream, slug } = await start('sessions');
    const answers: Json[] = [];
    upstream.onMessage = ({ id, method, params, result, error }, response) => {
      if (id === 'q') answers.push(result ?? error);
      if (id === 'q') response.writeHead(202).end();
      if (id === 'q') return true;
      if (method !== 'tools/call') return undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const question = {
        message: params.arguments.text,
        requestedSchema: { type: 'object', properties: {} },
      };
      const asked = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: question };
      response.write(`data: ${JSON.stringify(asked)}\n\n`);
      const seen = answers.length;
      const timer = setInterval(() => {
        if (answers.length === seen) return;
        clearInterval(timer);
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
      }, 5);
      return true;
    };
    const { client, close } = await connectLegacy(app, slug, { capabilities: { elicitation: {} } });
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const questions: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { word: questions.length === 1 ? 'fine' : 'evil' } };
    });
    await enforce(
      [await made(without('evil'))],
      [await made(masking, { deny: false }), await made(without('bad'))],
    );
    const call = (text: string) => client.callTool({ name: 'say', arguments: { text } });
    await call('tell me secret-1');
    await call('tell me');
    await call('something bad');
    expect(questions).toEqual(['tell me [masked]', 'tell me']);
    expect(answers).toEqual([
      { action: 'accept', content: { word: 'fine' } },
      { code: -31446, message: 'Refused by a guardrail.' },
      { code: -31446, message: 'Refused by a guardrail.' },
    ]);
    await close();
  });

  it('that is about models leaves tools alone, and one about kinds of requests does not', async () => {
    const { slug, reached } = await start();
    await enforce([await made([{ id: 'default.modelWhitelist', parameters: { models: ['gpt-5'] } }])]);
    expect((await callModern(app, slug, 'say', { text: 'x' })).body.result.isError).toBeUndefined();
    const blocked = { id: 'default.allowedRequestTypes', parameters: { blockedTypes: ['mcp'] } };
    await enforce([await made([blocked])]);
    expect((await callModern(app, slug, 'say', { text: 'x' })).body.result.isError).toBe(true);
    expect(reached()).toBe(1);
  });

  it('ends with an exclusion of the workspace, which the log names, and stops all calls when it is gone', async () => {
    const { slug, reached } = await start();
    const id = await made(without('evil'));
    await enforce([id]);
    await exclude(true);
    expect((await callModern(app, slug, 'say', { text: 'evil' })).body.result.isError).toBeUndefined();
    await exclude(false);
    expect((await callModern(app, slug, 'say', { text: 'evil' })).body.result.isError).toBe(true);
    const rows = await eventually(async () => {
      await app.logged();
      const found = await app.db
        .collection('logs')
        .find({ aiModel: `${slug}/say` })
        .sort({ createdAt: 1 })
        .toArray();
      expect(found).toHaveLength(2);
      return found.map(({ guardrails }) => JSON.parse(guardrails as string));
    });
    expect(rows[0]).toMatchObject({ exempted: [id], ran: [] });
    expect(rows[1]).toMatchObject({ exempted: [], ran: [{ id, verdict: false, denied: true }] });
    await app.db.collection<{ _id: string }>('guardrails').deleteOne({ _id: id });
    await exclude(false);
    expect((await callModern(app, slug, 'say', { text: 'good' })).body.error).toMatchObject({ code: -31446 });
    expect(reached()).toBe(1);
  });
});

describe('a guardrail of the workspace', () => {
  it('holds for calls of its servers beside those that the integration names, and is noted where nobody waits for it', async () => {
    const { slug, reached } = await start();
    const own = async (checks: object[], actions: object) =>
      (
        await rest('POST', '/guardrails', {
          name: `g${++count}`,
          checks,
          actions,
          workspace_id: app.workspaceId,
        })
      ).id;
    const denying = await own(without('evil'), { deny: true });
    const noting = await own(without('good'), { async: true });
    const setDefaults = (input_guardrails: string[]) =>
      rest('PUT', `/admin/workspaces/${app.workspaceId}`, { defaults: { input_guardrails } });
    await setDefaults([denying, noting]);
    try {
      expect((await callModern(app, slug, 'say', { text: 'evil' })).body.result.isError).toBe(true);
      const good = modernMessage('tools/call', { name: 'say', arguments: { text: 'good' } });
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'say' };
      expect((await post(app, `/${slug}/mcp`, good, headers)).body.result.isError).toBeUndefined();
      expect(reached()).toBe(1);
      await eventually(async () => {
        await app.logged();
        const [row] = await app.db
          .collection('logs')
          .find({ aiModel: `${slug}/say`, isSuccess: true })
          .toArray();
        expect(JSON.parse(String(row?.guardrails)).ran).toContainEqual(
          expect.objectContaining({ id: noting, async: true, verdict: false }),
        );
      });
    } finally {
      await setDefaults([]);
    }
  });
});
