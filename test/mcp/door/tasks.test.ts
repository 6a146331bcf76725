import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bodyOf } from '../../rest-compat/support.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { connectLegacy, serveMcp } from '../../support/mcp-clients.ts';
import { type McpProgram, startEverything } from '../../support/mcp-programs.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../../support/mcp-upstream.ts';
import { askModern, legacyMessage, openLegacy, post } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

type Json = Record<string, any>;

const RELATED = 'io.modelcontextprotocol/related-task';
const TASKS = 'io.modelcontextprotocol/tasks';
const text = 'a result with a secret';

let app: TestApp;
let everything: McpProgram;
let legacy: McpUpstream;
let modern: McpUpstream;
let guardrail = '';

/** Answers as a server that takes calls as tasks, in the revision 2025-11-25. */
function legacyTasks({ id, method, params }: Json): Json | undefined {
  const result = (value: Json) => ({ jsonrpc: '2.0', id, result: value });
  const task = { taskId: 'own-1', status: 'working', ttl: 60_000, createdAt: 'now', lastUpdatedAt: 'now' };
  if (method === 'initialize')
    return result({
      ...{ protocolVersion: params.protocolVersion, serverInfo: { name: 'tasks', version: '1' } },
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    });
  if (method === 'tools/call')
    return result(params.task ? { task } : { content: [{ type: 'text', text: 'at once' }] });
  if (method === 'tasks/get') return result({ ...task, status: 'completed' });
  if (method === 'tasks/cancel') return result({ ...task, status: 'cancelled' });
  if (method === 'tasks/result')
    return result({
      content: [{ type: 'text', text }],
      _meta: { [RELATED]: { taskId: params.taskId } },
    });
  return undefined;
}

/** The same in the extension of 2026-07-28. */
function modernTasks({ id, method, params = {} }: Json): Json | undefined {
  const result = (value: Json) => ({ jsonrpc: '2.0', id, result: value });
  const declared = params._meta?.['io.modelcontextprotocol/clientCapabilities']?.extensions?.[TASKS];
  if (method === 'server/discover')
    return result({
      ...{ resultType: 'complete', supportedVersions: ['2026-07-28'] },
      capabilities: { tools: {}, extensions: { [TASKS]: {} } },
    });
  if (method === 'tools/call')
    return declared
      ? result({ resultType: 'task', taskId: 'own-2', status: 'working', ttlMs: 60_000 })
      : result({ resultType: 'complete', content: [{ type: 'text', text: 'at once' }] });
  if (method === 'tasks/update' || method === 'tasks/cancel') return result({ resultType: 'complete' });
  if (method === 'tasks/get')
    return result({
      ...{ resultType: 'complete', taskId: 'own-2', status: 'completed', ttlMs: 60_000 },
      result: { content: [{ type: 'text', text }] },
    });
  return undefined;
}

beforeAll(async () => {
  [app, everything, legacy, modern] = await Promise.all([
    startApp(),
    startEverything(),
    startMcpUpstream('sessions'),
    startMcpUpstream(),
  ]);
  legacy.tools = [tool('work'), tool('rest')];
  legacy.onMessage = legacyTasks;
  modern.tools = [tool('work')];
  modern.onMessage = modernTasks;
  const checks = [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }];
  const made = await app.rest('POST', '/v1/org-guardrails', {
    ...{ key: app.adminKey, body: { name: 'No', checks, actions: { deny: true } } },
  });
  guardrail = bodyOf(made).id;
  const output_guardrails = [guardrail];
  await Promise.all([
    serveMcp(app, 'everything', { url: everything.url }),
    serveMcp(app, 'old', { url: legacy.url }),
    serveMcp(app, 'other', { url: legacy.url }),
    serveMcp(app, 'old-guarded', { url: legacy.url, configurations: { output_guardrails } }),
    serveMcp(app, 'new', { url: modern.url }),
    serveMcp(app, 'new-guarded', { url: modern.url, configurations: { output_guardrails } }),
  ]);
});
afterAll(async () => {
  await Promise.all([app.stop(), everything.stop(), legacy.stop(), modern.stop()]);
});

const lastTo = (upstream: McpUpstream, method: string) =>
  upstream.requests.filter(({ body }) => body?.method === method).at(-1);

describe('tasks of 2025-11-25', () => {
  const ask = (slug: string, headers: Record<string, string>, method: string, params: Json) =>
    post(app, `/${slug}/mcp`, legacyMessage(method, params), headers);
  async function begun(slug: string, given: Json = { name: 'work', arguments: {}, task: { ttl: 60_000 } }) {
    const { headers, answer } = await openLegacy(app, slug);
    const { body } = await ask(slug, headers, 'tools/call', given);
    return { headers, answer, body, taskId: body.result.task?.taskId as string };
  }

  it('are offered, asked about and called off by an id that says nothing', async () => {
    const { headers, answer, body, taskId } = await begun('old');
    expect(answer.body.result.capabilities.tasks).toEqual({
      ...{ cancel: {}, requests: { tools: { call: {} } } },
    });
    expect(taskId).toMatch(/^gwt_/);
    expect(body.result.task).toMatchObject({ status: 'working', ttl: 60_000 });
    const got = await ask('old', headers, 'tasks/get', { taskId });
    expect(got.body.result).toMatchObject({ taskId, status: 'completed' });
    expect(lastTo(legacy, 'tasks/get')?.body?.params.taskId).toBe('own-1');
    const ended = await ask('old', headers, 'tasks/result', { taskId });
    expect(ended.body.result).toEqual({
      ...{ content: [{ type: 'text', text }], _meta: { [RELATED]: { taskId } } },
    });
    const { body: cancelled } = await ask('old', headers, 'tasks/cancel', { taskId });
    expect(cancelled.result).toMatchObject({ taskId, status: 'cancelled' });
    for (const method of ['tasks/list', 'tasks/update'])
      expect((await ask('old', headers, method, { taskId })).body.error.code).toBe(-32601);
  });

  it('are their caller’s, at one server, as long as their tool may be called', async () => {
    const { headers, taskId } = await begun('old', { name: 'rest', arguments: {}, task: {} });
    const { key } = bodyOf(
      await app.rest('POST', '/v1/api-keys/workspace/service', {
        ...{ key: app.adminKey },
        body: { name: 'other', workspace_id: app.workspaceId, scopes: ['mcp.invoke'] },
      }),
    );
    const stranger = await openLegacy(app, 'old', { headers: { 'x-gateway-api-key': key } });
    const elsewhere = await openLegacy(app, 'other');
    const sent = () => legacy.requests.filter(({ body }) => body?.method === 'tasks/result').length;
    const before = sent();
    // Not the last character, of which some bits say nothing.
    const spoilt = `${taskId.slice(0, -5)}${taskId.at(-5) === 'A' ? 'B' : 'A'}${taskId.slice(-4)}`;
    const unknown = { code: -32602, message: 'Unknown task' };
    const asked: [string, Record<string, string>, unknown][] = [
      ['old', stranger.headers, taskId],
      ['other', elsewhere.headers, taskId],
      ['old', headers, spoilt],
      ['old', headers, 'own-1'],
      ['old', headers, 7],
    ];
    for (const [slug, own, id] of asked)
      expect((await ask(slug, own, 'tasks/result', { taskId: id })).body.error).toEqual(unknown);
    expect(sent()).toBe(before);
    const switched = (enabled: boolean) =>
      app.rest('PUT', '/v1/mcp-servers/old/capabilities', {
        ...{ key: app.adminKey, body: { capabilities: [{ name: 'rest', type: 'tool', enabled }] } },
      });
    await switched(false);
    await eventually(async () => {
      expect((await ask('old', headers, 'tasks/result', { taskId })).body.error).toEqual(unknown);
    });
    // Until the switch is known here, one may go through.
    const since = sent();
    expect((await ask('old', headers, 'tasks/result', { taskId })).body.error).toEqual(unknown);
    expect(sent()).toBe(since);
    await switched(true);
  });

  it('are not begun for callers who could not ask for what comes of them', async () => {
    const called = { name: 'work', arguments: {}, task: {} };
    const { body } = await askModern(app, 'old', 'tools/call', called);
    expect(body.result.content).toEqual([{ type: 'text', text: 'at once' }]);
    expect(lastTo(legacy, 'tools/call')?.body?.params).not.toHaveProperty('task');
  });

  it('check 18: have results that guardrails refuse, as those of any call', async () => {
    const { headers, taskId } = await begun('old-guarded');
    const { body } = await ask('old-guarded', headers, 'tasks/result', { taskId });
    expect(body.result).toMatchObject({
      ...{ isError: true, content: [{ text: 'Blocked by guardrail No' }] },
    });
    await app.logged();
    const rows = await app.db.collection('logs').find({ endpoint: 'mcp' }).toArray();
    const facts = rows.map(({ mcp }) => JSON.parse(mcp)).filter(({ method }) => method === 'tasks/result');
    expect(facts.at(-1)).toMatchObject({ subject: 'work', status: 'denied', refusedBy: 'guardrail' });
  });

  it('are used by the official SDK with the reference server', async () => {
    const { client, close } = await connectLegacy(app, 'everything');
    const said: string[] = [];
    const stream = (client as Json).experimental.tasks.callToolStream(
      { name: 'simulate-research-query', arguments: { topic: 'foxes' } },
      undefined,
      { task: { ttl: 60_000 } },
    );
    for await (const message of stream) {
      said.push(message.type);
      if (message.type === 'error') throw message.error;
      if (message.type === 'taskCreated') expect(message.task.taskId).toMatch(/^gwt_/);
      if (message.type === 'result') expect(message.result.content[0].text).toContain('foxes');
    }
    expect([said[0], said.at(-1)]).toEqual(['taskCreated', 'result']);
    await close();
  });
});

describe('tasks of the modern era', () => {
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } } };
  const ask = (slug: string, method: string, params: Json, headers: Record<string, string> = {}) =>
    askModern(app, slug, method, { ...params, _meta }, headers);
  const about = (slug: string, method: string, taskId: string, more: Json = {}) =>
    ask(slug, method, { taskId, ...more }, { 'mcp-name': taskId });

  it('are offered, and asked about by an id that says nothing', async () => {
    const { body: discovered } = await ask('new', 'server/discover', {});
    expect(discovered.result.capabilities.extensions).toEqual({ [TASKS]: {} });
    const { body } = await ask('new', 'tools/call', { name: 'work', arguments: {} });
    const { taskId } = body.result;
    expect(body.result).toMatchObject({ resultType: 'task', taskId: expect.stringMatching(/^gwt_/) });
    const { body: got } = await about('new', 'tasks/get', taskId);
    expect(got.result).toMatchObject({ taskId, status: 'completed', result: { content: [{ text }] } });
    const reached = lastTo(modern, 'tasks/get');
    expect([reached?.body?.params.taskId, reached?.headers['mcp-name']]).toEqual(['own-2', 'own-2']);
    const { body: updated } = await about('new', 'tasks/update', taskId, { inputResponses: { a: {} } });
    expect(updated.result).toMatchObject({ resultType: 'complete' });
    expect(updated.result).not.toHaveProperty('taskId');
    expect((await about('new', 'tasks/get', 'own-2')).body.error.code).toBe(-32602);
    const mismatch = await ask('new', 'tasks/get', { taskId }, { 'mcp-name': 'another' });
    expect(mismatch).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
    expect((await about('new', 'tasks/result', taskId)).status).toBe(404);
  });

  it('are for callers of that era alone, at one server', async () => {
    const { headers, answer } = await openLegacy(app, 'new', {
      capabilities: { extensions: { [TASKS]: {} } },
    });
    expect(answer.body.result.capabilities.extensions).toBeUndefined();
    const called = { name: 'work', arguments: {}, task: {} };
    const { body } = await post(app, '/new/mcp', legacyMessage('tools/call', called), headers);
    expect(body.result.content).toEqual([{ type: 'text', text: 'at once' }]);
    const together = await post(
      app,
      '/mcp',
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: {
          ...{ name: 'new__work', arguments: {} },
          _meta: { ..._meta, 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
        },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'new__work' },
    );
    expect(together.body.result.content).toEqual([{ type: 'text', text: 'at once' }]);
  });

  it('check 18: have results that guardrails refuse, as those of any call', async () => {
    const { body } = await ask('new-guarded', 'tools/call', { name: 'work', arguments: {} });
    const { taskId } = body.result;
    const { body: got } = await about('new-guarded', 'tasks/get', taskId);
    expect(got.result).toMatchObject({
      ...{ taskId, status: 'completed', result: { isError: true } },
    });
    expect(JSON.stringify(got)).not.toContain('secret');
  });
});
