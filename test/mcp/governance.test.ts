import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bodyOf } from '../rest-compat/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { type McpEra, type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { askModern, callModern, legacyMessage, post } from '../support/mcp-wire.ts';

jest.setTimeout(120_000);

let app: TestApp;
let other: TestApp;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  app = await startApp(env);
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await Promise.all(upstreams.map(({ stop }) => stop()));
});

const admin = async (method: string, path: string, body: unknown, key = app.adminKey) =>
  bodyOf(await app.rest(method, `/v1${path}`, { key, body }));

let count = 0;

/** A server whose tool says what it was given. */
async function start(configurations: object = {}, era: McpEra = 'modern', more: object = {}) {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  upstream.tools = [
    tool('say', {
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    }),
  ];
  upstream.prompts = [{ name: 'ask' }];
  upstream.onMessage = ({ id, method, params }) => {
    const { text = '', region = '' } = params?.arguments ?? {};
    if (method === 'prompts/get')
      return {
        jsonrpc: '2.0',
        id,
        result: { messages: [{ role: 'user', content: { type: 'text', text } }] },
      };
    if (method !== 'tools/call') return undefined;
    const structuredContent = { said: text, deep: [{ text }], region };
    return {
      jsonrpc: '2.0',
      id,
      result: { content: [{ type: 'text', text: `said ${text}` }], structuredContent },
    };
  };
  const slug = `server-${++count}`;
  const { call } = await serveMcp(app, slug, { url: upstream.url, configurations, ...more });
  upstream.requests.length = 0;
  const calls = () => upstream.requests.filter(({ body }) => body?.method === 'tools/call');
  return { upstream, slug, call, calls };
}

const guardrail = async (checks: object[], actions: object = { deny: true }) => {
  const given = { name: `g${++count}`, checks, actions, organisation_id: app.organisationId };
  const { id } = (await admin('POST', '/guardrails', given)) as { id: string };
  return id;
};

const without = (word: string) => ({
  id: 'default.contains',
  parameters: { words: [word], operator: 'none' },
});
const masking = { id: 'default.regexReplace', parameters: { rule: 'secret-\\d+', redactText: '[masked]' } };

async function logsOf(slug: string): Promise<any[]> {
  await app.logged();
  const { data, errors } = await app.graphql(
    `query { logs(filters: {aiOrgModel: ["mcp__${slug}/say"]}, pageSize: 100) { data {
      aiProvider aiModel isSuccess responseStatusCode cost mcp guardrails error apiKey { id }
      request { body } response { body } } } }`,
  );
  expect(errors).toBeUndefined();
  return data.logs.data;
}

describe('limits of tools', () => {
  it('check 8: lets through as many calls as the policy says, at all processes together', async () => {
    const { slug, calls } = await start();
    await admin('POST', '/policies/rate-limits', {
      conditions: [{ key: 'mcp_server', value: slug }],
      group_by: [{ key: 'mcp_server' }],
      ...{ type: 'requests', unit: 'rpw', value: 10, target: 'mcp_tools', name: 'few' },
      workspace_id: app.workspaceId,
    });
    await eventually(async () => {
      const { body } = await callModern(
        other,
        slug,
        'nothing',
        {},
        { 'x-gateway-api-key': app.workspaceKey },
      );
      expect(body.error.code).toBe(-32602);
    });
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, at) =>
        callModern(at % 2 === 0 ? app : other, slug, 'say', {}, { 'x-gateway-api-key': app.workspaceKey }),
      ),
    );
    expect(calls()).toHaveLength(10);
    const refused = answers.filter(({ body }) => body.error);
    expect(refused).toHaveLength(990);
    for (const { status, body, headers } of refused) {
      expect({ status, code: body.error.code }).toEqual({ status: 200, code: -31429 });
      expect(body.error).toMatchObject({
        message: 'Rate limit exceeded: few',
        data: { policy_id: expect.any(String), retry_after_ms: expect.any(Number) },
      });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await askModern(app, slug, 'tools/list')).body.result.tools).toHaveLength(1);
  });

  it('counts tokens of arguments and results by their length', async () => {
    const { slug } = await start();
    await admin('POST', '/policies/rate-limits', {
      conditions: [
        { key: 'mcp_tool', value: 'say' },
        { key: 'mcp_server', value: slug },
      ],
      group_by: [{ key: 'mcp_server' }],
      ...{ type: 'tokens', unit: 'rpw', value: 100, target: 'mcp_tools', name: 'tokens' },
      workspace_id: app.workspaceId,
    });
    const code = async () => (await callModern(app, slug, 'say', { text: 'x'.repeat(200) })).body.error?.code;
    expect(await code()).toBeUndefined();
    expect(await code()).toBe(-31429);
  });
});

describe('guardrails on tools', () => {
  it('check 17: refuse arguments with a result that the model reads, and the server gets nothing', async () => {
    const input_guardrails = [await guardrail([without('forbidden')])];
    const { slug, calls } = await start({ input_guardrails });
    const denied = await callModern(app, slug, 'say', { deep: [{ id: 'forbidden' }] });
    expect(denied.body.result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^Blocked by guardrail g\d+$/) }],
      _meta: { 'io.sluice/guardrail': { id: expect.any(String) } },
    });
    expect(calls()).toHaveLength(0);
    const prompt = await askModern(app, slug, 'prompts/get', {
      name: 'ask',
      arguments: { text: 'forbidden' },
    });
    expect(prompt).toMatchObject({ status: 200, body: { error: { code: -31446 } } });
    expect((await callModern(app, slug, 'say', { text: 'fine' })).body.result.isError).toBeUndefined();
    const rows = await logsOf(slug);
    expect(rows.map(({ isSuccess, mcp }) => [isSuccess, mcp.status, mcp.refusedBy]).sort()).toEqual([
      [false, 'denied', 'guardrail'],
      [true, 'success', null],
    ]);
  });

  it('check 17 and 22: mask arguments, and the headers that have to repeat them', async () => {
    const input_guardrails = [await guardrail([masking], { deny: false })];
    const { slug, calls } = await start({ input_guardrails });
    const given = { text: 'my secret-1', region: 'secret-22' };
    expect((await callModern(app, slug, 'say', given)).body.error.code).toBe(-32020);
    const wrong = await callModern(app, slug, 'say', given, { 'mcp-param-region': 'elsewhere' });
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
    await callModern(app, slug, 'say', given, { 'mcp-param-region': 'secret-22' });
    const [call] = calls();
    expect(call?.body?.params.arguments).toEqual({ text: 'my [masked]', region: '[masked]' });
    expect(call?.headers['mcp-param-region']).toBe('[masked]');
  });

  it('check 18: mask results in all their texts alike, and refuse them', async () => {
    const mask = await guardrail([masking], { deny: false });
    const deny = await guardrail([without('forbidden')]);
    for (const era of ['modern', 'legacy'] as const) {
      const { slug } = await start({ output_guardrails: [mask, deny] }, era);
      const call = async (text: string) =>
        (await post(app, `/${slug}/mcp`, legacyMessage('tools/call', { name: 'say', arguments: { text } })))
          .body.result;
      expect(await call('a secret-1')).toEqual({
        content: [{ type: 'text', text: 'said a [masked]' }],
        structuredContent: { said: 'a [masked]', deep: [{ text: 'a [masked]' }], region: '' },
      });
      expect(await call('forbidden')).toMatchObject({ isError: true });
      const prompt = legacyMessage('prompts/get', { name: 'ask', arguments: { text: 'secret-2' } });
      const { body } = await post(app, `/${slug}/mcp`, prompt);
      expect(body.result.messages).toEqual([{ role: 'user', content: { type: 'text', text: '[masked]' } }]);
    }
  });
});

describe('check 19: the log', () => {
  it('has one row for each call, with who called what and how it ended', async () => {
    const { slug, upstream } = await start({ cost_per_call: 0.5 });
    await callModern(app, slug, 'say', { text: 'hello' });
    upstream.onMessage = ({ id, method }) =>
      method === 'tools/call'
        ? { jsonrpc: '2.0', id, result: { content: [], isError: true, usage: { total_tokens: 5 } } }
        : undefined;
    await callModern(app, slug, 'say', { text: 'again' });
    const rows = await eventually(async () => {
      const found = await logsOf(slug);
      expect(found).toHaveLength(2);
      return found.sort((one, next) => Number(next.isSuccess) - Number(one.isSuccess));
    });
    expect(rows[0]).toMatchObject({
      ...{ aiProvider: 'mcp', aiModel: `${slug}/say`, isSuccess: true, cost: 50 },
      mcp: {
        ...{ method: 'tools/call', subject: 'say', status: 'success', eraClient: 'modern', serverSlug: slug },
        definitionHash: expect.any(String),
      },
    });
    expect(rows[0].request.body.params.arguments).toEqual({ text: 'hello' });
    expect(rows[0].response.body.result.structuredContent.said).toBe('hello');
    expect(rows[1]).toMatchObject({ isSuccess: false, mcp: { status: 'tool_error' } });
  });

  it('check 5: has no credential, neither ours nor that of a server that quotes it', async () => {
    const secret = 'planted-upstream-credential-1234567890';
    const { slug, upstream } = await start({ headers: { 'x-own-auth': secret } }, 'modern', {
      auth_type: 'headers',
    });
    upstream.onMessage = ({ id, method }, _response, { headers }) =>
      method === 'tools/call'
        ? {
            jsonrpc: '2.0',
            id,
            result: { content: [{ type: 'text', text: `you sent ${headers['x-own-auth']}` }] },
          }
        : undefined;
    const { body } = await callModern(app, slug, 'say', { text: `my key is ${app.workspaceKey}` });
    expect(body.result.content[0].text).toContain(secret);
    const sent = upstream.requests.filter(({ body: asked }) => asked?.method === 'tools/call');
    expect(JSON.stringify(sent.map(({ headers }) => headers))).not.toContain(app.workspaceKey);
    const rows = JSON.stringify(await logsOf(slug));
    expect(rows).toContain('you sent');
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(app.workspaceKey);
  });
});
