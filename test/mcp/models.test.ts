import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bodyOf } from '../rest-compat/support.ts';
import type { TestApp } from '../support/app.ts';
import { signedIn } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { chatAnswer, json } from '../support/provider.ts';
import { addUser } from '../support/users.ts';
import { startWorld, type World } from '../support/world.ts';

jest.setTimeout(120_000);

type Json = Record<string, any>;

let world: World;
let app: TestApp;
let upstream: McpUpstream;
beforeAll(async () => {
  world = await startWorld();
  app = world.app;
  upstream = await startMcpUpstream();
  upstream.tools = [
    tool('look.up', {
      inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    }),
    tool('delete'),
  ];
  upstream.onMessage = ({ id, method, params }) => {
    if (method !== 'tools/call') return undefined;
    const { word } = params.arguments;
    if (word === 'fails') return { jsonrpc: '2.0', id, error: { code: -32000, message: 'no such word' } };
    const structuredContent = { meaning: `meaning of ${word}` };
    return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'found' }], structuredContent } };
  };
  await serveMcp(app, 'words', { url: upstream.url, configurations: { cost_per_call: 0.25 } });
});
afterAll(async () => {
  await world.stop();
  await upstream.stop();
});

const admin = async (method: string, path: string, body: unknown) =>
  bodyOf(await app.rest(method, `/v1${path}`, { key: app.adminKey, body }));

const server = (more: Json = {}) => ({ type: 'mcp', server_label: '@gateway-mcp/words', ...more });
const calls = (...given: [string, string, string][]) =>
  json(200, {
    ...chatAnswer(''),
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          ...{ role: 'assistant', content: null },
          tool_calls: given.map(([id, name, text]) => ({
            ...{ id, type: 'function', function: { name, arguments: text } },
          })),
        },
      },
    ],
  });
const lookUp = (word: string, id = 'call_1'): [string, string, string] => [
  id,
  'words__look_up',
  JSON.stringify({ word }),
];

const ask = (body: Json, path = '/v1/chat/completions', key?: string) =>
  world.call({
    path,
    body: { model: 'gpt-test', ...body },
    config: { provider: `@${world.slug}` },
    ...(key !== undefined && { key }),
  });
const chat = (tools: unknown[], more: Json = {}, key?: string) =>
  ask({ messages: [{ role: 'user', content: 'what is a fox?' }], tools, ...more }, undefined, key);
const sent = (): Json[] => world.provider.requests.map(({ body }) => JSON.parse(body.toString()));
const reached = () => upstream.requests.filter(({ body }) => body?.method === 'tools/call').length;

describe('check 36: chat completions with a server of the gateway', () => {
  it('run its tools until the model has its last word, each step in the log with its price', async () => {
    const trace = world.newTrace();
    world.provider.play(calls(lookUp('fox')), json(200, chatAnswer('an animal')));
    const answer = await world.call({
      config: { provider: `@${world.slug}` },
      headers: { 'x-gateway-trace-id': trace },
      body: { model: 'gpt-test', messages: [{ role: 'user', content: 'a fox?' }], tools: [server()] },
    });
    expect(answer.status).toBe(200);
    expect(answer.json.choices[0].message.content).toBe('an animal');
    expect(answer.json.usage).toEqual({ prompt_tokens: 6, completion_tokens: 10, total_tokens: 16 });
    const [first, second] = sent();
    expect(first?.tools.map((one: Json) => one.function.name)).toEqual(['words__look_up', 'words__delete']);
    expect(first?.tools[0].function.parameters.properties).toEqual({ word: { type: 'string' } });
    expect(second?.messages.slice(1)).toEqual([
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: 'call_1', content: 'found\n{"meaning":"meaning of fox"}' },
    ]);
    const rows = await eventually(async () => {
      await app.logged();
      const found = await app.db.collection('logs').find({ traceId: trace }).sort({ createdAt: 1 }).toArray();
      expect(found).toHaveLength(3);
      return found;
    });
    expect(rows.map(({ endpoint, isSuccess }) => [endpoint, isSuccess])).toEqual([
      ['chatComplete', true],
      ['mcp', true],
      ['chatComplete', true],
    ]);
    expect(JSON.parse(String(rows[1]?.mcp))).toMatchObject({
      ...{ route: 'chat', subject: 'look.up', requestId: 'call_1', costNanodollars: 250_000_000 },
    });
  });

  it('answer people who are signed in to the console, who can keep a response as well', async () => {
    const browser = await signedIn(app, (await addUser(app, { inWorkspace: 'admin' }))._id);
    const headers = { 'x-gateway-provider': `@${world.slug}`, 'x-gateway-workspace-id': app.workspaceId };
    world.provider.play(calls(lookUp('fox')), json(200, chatAnswer('an animal')));
    const messages = [{ role: 'user', content: 'a fox?' }];
    const body = { model: 'gpt-test', messages, tools: [server()] };
    const answer = await browser.send('POST', '/v1/chat/completions', body, headers);
    expect(answer).toMatchObject({ status: 200, body: { choices: [{ message: { content: 'an animal' } }] } });
    const kept = { model: '@mock/mock-1', input: 'a fox?', store: true };
    const workspace = { 'x-gateway-workspace-id': app.workspaceId };
    const response = await browser.send('POST', '/v1/responses', kept, workspace);
    expect(response.status).toBe(200);
    const again = await app.rest('GET', `/v1/responses/${response.body.id}`, { key: app.workspaceKey });
    expect(again).toMatchObject({
      status: 200,
      body: { id: response.body.id, status: 'completed', error: null },
    });
  });

  it('give the model what went wrong, by limits and guardrails as anywhere', async () => {
    const checks = [{ id: 'default.contains', parameters: { words: ['evil'], operator: 'none' } }];
    const guardrail = await admin('POST', '/org-guardrails', { name: 'No', checks, actions: { deny: true } });
    await serveMcp(app, 'careful', {
      ...{ url: upstream.url, configurations: { input_guardrails: [guardrail.id] } },
    });
    await admin('POST', '/policies/rate-limits', {
      ...{ conditions: [{ key: 'mcp_server', value: 'careful' }], group_by: [{ key: 'mcp_server' }] },
      ...{ type: 'requests', unit: 'rpw', value: 2, target: 'mcp_tools', name: 'few' },
      workspace_id: app.workspaceId,
    });
    const before = reached();
    const careful = (id: string, word: string): [string, string, string] => [
      id,
      'careful__look_up',
      JSON.stringify({ word }),
    ];
    world.provider.play(
      calls(careful('1', 'fine')),
      calls(careful('2', 'evil')),
      calls(careful('3', 'more')),
      calls(lookUp('fails', '4'), ['5', 'words__look_up', 'no json']),
      json(200, chatAnswer('done')),
    );
    const { status } = await chat([server(), server({ server_label: '@gateway-mcp/careful' })]);
    expect(status).toBe(200);
    const said = sent()
      .at(-1)
      ?.messages.filter(({ role }: Json) => role === 'tool');
    expect(said.map(({ content }: Json) => content)).toEqual([
      'found\n{"meaning":"meaning of fine"}',
      'Blocked by guardrail No',
      'Rate limit exceeded: few',
      'no such word',
      'The arguments are no JSON object.',
    ]);
    expect(reached() - before).toBe(2);
  });

  it('leave functions of the caller to the caller, with results of their own beside', async () => {
    const own = { type: 'function', function: { name: 'mine', parameters: { type: 'object' } } };
    world.provider.play(calls(lookUp('fox'), ['call_2', 'mine', '{}']));
    const { json: answer } = await chat([own, server()]);
    expect(sent()).toHaveLength(1);
    expect(answer.choices[0].message.tool_calls).toHaveLength(2);
    expect(answer.gateway_tool_messages).toEqual([
      { role: 'tool', tool_call_id: 'call_1', content: 'found\n{"meaning":"meaning of fox"}' },
    ]);
  });

  it('have results beside functions of the caller, whether the caller sends them back or not', async () => {
    const own = { type: 'function', function: { name: 'mine', parameters: { type: 'object' } } };
    world.provider.play(calls(lookUp('wolf', 'call_7'), ['call_8', 'mine', '{}']));
    const { json: answer } = await chat([own, server()]);
    const more = { role: 'tool', tool_call_id: 'call_8', content: 'from me' };
    const goOn = async (key?: string, ...others: Json[]) => {
      const messages = [{ role: 'user', content: 'a wolf?' }, answer.choices[0].message, more, ...others];
      world.provider.play(json(200, chatAnswer('an animal')));
      await ask({ messages, tools: [own, server()] }, undefined, key);
      return sent()[0]?.messages.filter(({ role }: Json) => role === 'tool');
    };
    const [result] = answer.gateway_tool_messages;
    expect(await goOn()).toEqual([result, more]);
    expect(await goOn(undefined, result)).toEqual([more, result]);
    const other = await admin('POST', '/api-keys/workspace/service', {
      ...{ name: 'other', workspace_id: app.workspaceId, scopes: ['completions.write', 'mcp.invoke'] },
    });
    expect(await goOn(other.key)).toEqual([more]);
  });

  it('end after ten rounds with a last word', async () => {
    world.provider.play(({ body }, response) => {
      const isLast = JSON.parse(body.toString()).tool_choice === 'none';
      const script = isLast ? json(200, chatAnswer('enough')) : calls(lookUp('fox'));
      return script({ method: '', url: '', headers: {}, body }, response, null as never);
    });
    const { json: answer } = await chat([server()]);
    expect(answer.choices[0].message.content).toBe('enough');
    expect(sent()).toHaveLength(11);
  });

  it('are refused for what cannot be done, and nothing is asked', async () => {
    const manyTools = Array.from({ length: 129 }, (_none, at) => tool(`tool-${at}`));
    const many = await startMcpUpstream();
    many.tools = manyTools;
    await serveMcp(app, 'many', { url: many.url });
    const tenant = await app.createTenant();
    await serveMcp(app, 'theirs', { url: upstream.url, tenant });
    const weak = await admin('POST', '/api-keys/workspace/service', {
      ...{ name: 'weak', workspace_id: app.workspaceId, scopes: ['completions.write'] },
    });
    world.provider.play(json(200, chatAnswer('never')));
    const refusals: [Json, Json, string | undefined, number, string | null][] = [
      [server({ require_approval: 'always' }), {}, undefined, 400, 'tools.0.require_approval'],
      [server({ allowed_tools: 7 }), {}, undefined, 400, 'tools.0.allowed_tools'],
      [server({ type: 'function' }), {}, undefined, 400, 'tools.0.type'],
      [server({ server_label: '@gateway-mcp/nowhere' }), {}, undefined, 400, 'tools'],
      [server({ server_label: '@gateway-mcp/theirs' }), {}, undefined, 400, 'tools'],
      [server({ server_label: '@gateway-mcp/many' }), {}, undefined, 400, 'tools'],
      [server(), {}, weak.key, 403, null],
    ];
    for (const [one, more, key, status, param] of refusals) {
      const answer = await chat([one], more, key);
      expect({ status: answer.status, param: answer.json.error.param ?? null }).toEqual({ status, param });
    }
    expect(sent()).toHaveLength(0);
    await many.stop();
  });

  it('offer the tools alone that are allowed and enabled, and another server passes to the provider', async () => {
    const offered = async (tools: unknown[]) => {
      world.provider.play(json(200, chatAnswer('ok')));
      await chat(tools);
      return sent()[0]?.tools.map((one: Json) => one.function?.name ?? one.server_label);
    };
    expect(await offered([server({ allowed_tools: ['delete'] })])).toEqual(['words__delete']);
    expect(await offered([server({ allowed_tools: { read_only: true } })])).toEqual(['words__look_up']);
    const foreign = { type: 'mcp', server_label: 'theirs', server_url: 'https://mcp.example/mcp' };
    expect(await offered([foreign, server()])).toEqual(['theirs', 'words__look_up', 'words__delete']);
    const switched = (enabled: boolean) =>
      admin('PUT', '/mcp-servers/words/capabilities', {
        capabilities: [{ name: 'delete', type: 'tool', enabled }],
      });
    await switched(false);
    expect(await offered([server()])).toEqual(['words__look_up']);
    await switched(true);
  });
});

describe('check 35: responses with a server of the gateway', () => {
  const functionCall = {
    ...{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'words__look_up', status: 'completed' },
    arguments: '{"word":"fox"}',
  };
  const message = {
    ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text: 'an animal', annotations: [] }],
  };
  const response = (output: Json[]) =>
    json(200, {
      ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-test', output },
      usage: {
        input_tokens: 3,
        output_tokens: 5,
        total_tokens: 8,
        input_tokens_details: { cached_tokens: 1 },
      },
    });

  it('have the list, the calls and the last word as their output', async () => {
    world.provider.play(response([functionCall]), response([message]));
    const { json: answer } = await ask({ input: 'a fox?', tools: [server()] }, '/v1/responses');
    expect(answer.output).toEqual([
      {
        ...{ type: 'mcp_list_tools', id: expect.any(String), server_label: '@gateway-mcp/words' },
        tools: [expect.objectContaining({ name: 'look.up' }), expect.objectContaining({ name: 'delete' })],
      },
      {
        ...{ type: 'mcp_call', id: 'mcp_call1', server_label: '@gateway-mcp/words', name: 'look.up' },
        ...{ arguments: '{"word":"fox"}', output: 'found\n{"meaning":"meaning of fox"}', error: null },
        ...{ status: 'completed', approval_request_id: null },
      },
      message,
    ]);
    expect(answer.usage).toMatchObject({ total_tokens: 16, input_tokens_details: { cached_tokens: 2 } });
    expect(sent()[1]?.input).toEqual([
      { role: 'user', content: 'a fox?' },
      functionCall,
      expect.objectContaining({ type: 'function_call_output', call_id: 'call_1' }),
    ]);
    world.provider.play(response([message]));
    const input = [{ role: 'user', content: 'a fox?' }, ...answer.output, { role: 'user', content: 'more' }];
    await ask({ input, tools: [server()] }, '/v1/responses');
    expect(sent()[0]?.input.map(({ type, role }: Json) => type ?? role)).toEqual([
      ...['user', 'function_call', 'function_call_output', 'message', 'user'],
    ]);
  });
});

describe('messages with a server of the gateway', () => {
  it('have what tools were asked and said before the last word, on a provider of another format', async () => {
    world.provider.play(calls(lookUp('fox')), json(200, chatAnswer('an animal')));
    const { status, json: answer } = await ask(
      {
        ...{ max_tokens: 100, messages: [{ role: 'user', content: 'a fox?' }] },
        mcp_servers: [{ type: 'url', name: '@gateway-mcp/words', url: 'https://gateway.example/words/mcp' }],
        tools: [
          {
            ...{ type: 'mcp_toolset', mcp_server_name: '@gateway-mcp/words' },
            ...{ default_config: { enabled: false }, configs: { 'look.up': { enabled: true } } },
          },
        ],
      },
      '/v1/messages',
    );
    expect(status).toBe(200);
    expect(answer.content).toEqual([
      {
        ...{ type: 'mcp_tool_use', id: 'call_1', name: 'look.up', server_name: '@gateway-mcp/words' },
        input: { word: 'fox' },
      },
      {
        ...{ type: 'mcp_tool_result', tool_use_id: 'call_1', is_error: false },
        content: [{ type: 'text', text: 'found\n{"meaning":"meaning of fox"}' }],
      },
      expect.objectContaining({ type: 'text', text: 'an animal' }),
    ]);
    expect(sent()[0]?.tools.map((one: Json) => one.function.name)).toEqual(['words__look_up']);
  });
});
