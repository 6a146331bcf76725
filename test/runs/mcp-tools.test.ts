import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { chatStream } from '../dataplane/formats/chat-streams.ts';
import { bodyOf } from '../rest-compat/support.ts';
import { eventually } from '../support/eventually.ts';
import { startIssuer } from '../support/issuer.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { eventStream, type Script } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';

type Json = Record<string, any>;

let world: World;
let upstream: McpUpstream;
let client: OpenAI;
let threads: OpenAI['beta']['threads'];
let model: string;
/** Whether the server keeps its callers waiting for ever. */
let isSilent = false;
beforeAll(async () => {
  world = await startWorld();
  upstream = await startMcpUpstream();
  upstream.tools = [tool('look.up', { annotations: { readOnlyHint: true } }), tool('delete')];
  upstream.onMessage = ({ id, method, params }) => {
    if (method !== 'tools/call') return undefined;
    if (isSilent) return true;
    const text = `${params.name} of ${params.arguments.word}`;
    return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } };
  };
  await serveMcp(world.app, 'words', { url: upstream.url, configurations: { cost_per_call: 0.25 } });
  client = clientWith(world.app.workspaceKey);
  threads = client.beta.threads;
  model = `@${world.slug}/gpt-test`;
});
afterAll(async () => {
  await world.stop();
  await upstream.stop();
});
beforeEach(() => {
  upstream.requests.length = 0;
  isSilent = false;
});

const clientWith = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
const admin = async (method: string, path: string, body: unknown) => {
  const answer = await world.app.rest(method, `/v1${path}`, { key: world.app.adminKey, body });
  expect(answer).toMatchObject({ status: 200 });
  return bodyOf(answer);
};

const words = (more: Json = {}) => ({ type: 'mcp', mcp: { server: 'words', ...more } }) as never;
const mine = { type: 'function', function: { name: 'mine' } } as const;
const assistant = async (...tools: object[]) =>
  (await client.beta.assistants.create({ model, tools: tools as never })).id;
const thread = async () => (await threads.create({ messages: [{ role: 'user', content: 'A fox?' }] })).id;

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const says = (content: string): Script => eventStream(chatStream([{ content }], 'stop', usage));
const asksFor = (...names: string[]): Script => {
  const calls = names.map((name, index) => ({
    ...{ index, id: `given_${index}`, type: 'function' },
    function: { name, arguments: '{"word":"fox"}' },
  }));
  return eventStream(chatStream([{ tool_calls: calls }], 'tool_calls', usage));
};
const sent = (): Json[] => world.provider.requests.map(({ body }) => JSON.parse(body.toString()));
const toldOutputs = () =>
  sent()
    .at(-1)
    ?.messages.filter(({ role }: Json) => role === 'tool')
    .map(({ content }: Json) => content);
const reached = () => upstream.requests.filter(({ body }) => body?.method === 'tools/call').length;
const soon = { pollIntervalMs: 20 };
const steps = async (thread_id: string, run: { id: string }) =>
  (await threads.runs.steps.list(run.id, { thread_id, order: 'asc' })).data;
const callsOf = (step: { step_details: object } | undefined) => (step?.step_details as any)?.tool_calls;
const answered = (output: string | null) => ({
  ...{ id: expect.stringMatching(/^call_/), type: 'function' },
  function: { name: 'words__look_up', arguments: '{"word":"fox"}', output },
});
const waiting = (run: OpenAI.Beta.Threads.Run) =>
  run.required_action?.submit_tool_outputs.tool_calls.map((call) => call.function.name);
const outputsFor = (run: OpenAI.Beta.Threads.Run, ...outputs: string[]) =>
  run.required_action?.submit_tool_outputs.tool_calls.map(({ id }, at) => ({
    ...{ tool_call_id: id, output: outputs[at] },
  })) ?? [];

describe('check 37: a run with a tool of an MCP server', () => {
  it('has it called by the gateway, shown with name and output, logged and priced with the turn', async () => {
    world.provider.play(asksFor('words__look_up'), says('An animal.'));
    const [assistant_id, thread_id] = [await assistant(words()), await thread()];
    const run = await threads.runs.createAndPoll(thread_id, { assistant_id }, soon);
    expect(run).toMatchObject({ status: 'completed', usage: { total_tokens: 24 } });
    const [called, said] = await steps(thread_id, run);
    expect(called).toMatchObject({ type: 'tool_calls', status: 'completed', usage: { total_tokens: 12 } });
    expect(callsOf(called)).toEqual([answered('look.up of fox')]);
    expect(said).toMatchObject({ type: 'message_creation', usage: { total_tokens: 12 } });
    const [first] = sent();
    expect(first?.tools).toEqual(
      ['words__look_up', 'words__delete'].map((name) => ({
        type: 'function',
        function: {
          ...{ name, description: expect.any(String), parameters: { type: 'object', properties: {} } },
        },
      })),
    );
    expect(toldOutputs()).toEqual(['look.up of fox']);
    await world.app.logged();
    const rows = await world.app.db.collection('logs').find({ traceId: run.id }).toArray();
    const [row] = rows.filter(({ endpoint }) => endpoint === 'mcp');
    expect(rows).toHaveLength(3);
    expect(row).toMatchObject({
      isSuccess: true,
      metadata: { _run: run.id, _thread: thread_id, _turn: '0' },
    });
    expect(JSON.parse(row?.mcp)).toMatchObject({
      ...{ route: 'run', subject: 'look.up', costNanodollars: 250_000_000 },
      requestId: callsOf(called)[0].id,
    });
    const query = `{ run(threadId: "${thread_id}", id: "${run.id}") { steps { logIds } } }`;
    const { data } = await world.app.graphql(query, {}, world.app.workspaceKey);
    expect(data.run.steps[0].logIds).toContain(String(row?._id));
  });

  it('brings servers what they want of the person who began it, and models nothing of that', async () => {
    const issuer = await startIssuer('https://issuer.example', { sub: 'ada', aud: 'tools' });
    const jwt_validation = { jwksUri: issuer.jwksUrl, headerKey: 'X-Person' };
    await serveMcp(world.app, 'personal', {
      ...{ url: upstream.url, configurations: { jwt_validation, forward_headers: ['x-desk'] } },
    });
    const tools = [{ type: 'mcp', mcp: { server: 'personal' } }];
    const [assistant_id, thread_id] = [await assistant(...tools), await thread()];
    const begin = async (headers: Record<string, string>) => {
      world.provider.play(asksFor('personal__look_up'), says('An animal.'));
      const run = await threads.runs.createAndPoll(thread_id, { assistant_id }, { headers, ...soon });
      return (await steps(thread_id, run))[0];
    };
    const person = { 'x-person': await issuer.sign(), 'x-desk': 'seven', 'x-other': 'nobody' };
    expect(callsOf(await begin(person))[0].function.output).toBe('look.up of fox');
    const [reached] = upstream.requests.filter(({ body }) => body?.method === 'tools/call');
    expect(reached?.headers).toMatchObject({ 'x-desk': 'seven' });
    expect(reached?.headers).not.toHaveProperty('x-person');
    expect(reached?.headers).not.toHaveProperty('x-other');
    for (const { headers } of world.provider.requests)
      expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-desk']));
    const sealed = await world.app.db
      .collection('runs')
      .find({ sealedCaller: { $exists: true } })
      .toArray();
    expect(JSON.stringify(sealed)).not.toContain(person['x-person']);
    await issuer.stop();
  });

  it('streams the step as that of a function, and its output', async () => {
    world.provider.play(asksFor('words__look_up', 'words__delete'), says('An animal.'));
    const assistant_id = await assistant(words({ allowed_tools: ['look.up', 'delete'] }));
    const thread_id = await thread();
    const stream = threads.runs.stream(thread_id, { assistant_id });
    const done: string[] = [];
    stream.on('toolCallDone', (call: any) => done.push(call.function.name));
    const run = await stream.finalRun();
    expect(run.status).toBe('completed');
    const [streamed] = await stream.finalRunSteps();
    expect(callsOf(streamed)).toMatchObject([
      answered('look.up of fox'),
      { function: { name: 'words__delete', output: 'delete of fox' } },
    ]);
    expect(done).toEqual(['words__look_up', 'words__delete']);
    expect(callsOf((await steps(thread_id, run))[0])).toMatchObject([
      { function: { output: 'look.up of fox' } },
      { function: { output: 'delete of fox' } },
    ]);
  });

  it('offers what is allowed alone, in either form, beside the functions of the caller', async () => {
    world.provider.play(says('ok'));
    const offered = async (one: object, tool_choice?: object) => {
      const [assistant_id, thread_id] = [await assistant(mine), await thread()];
      const given = { assistant_id, tools: [mine, one] as never, tool_choice: tool_choice as never };
      const run = await threads.runs.createAndPoll(thread_id, given, soon);
      expect(run.status).toBe('completed');
      return sent()
        .at(-1)
        ?.tools.map((each: Json) => each.function.name);
    };
    expect(await offered(words({ allowed_tools: ['delete'] }))).toEqual(['mine', 'words__delete']);
    expect(await offered({ type: 'mcp', server: 'words', allowed_tools: { read_only: true } })).toEqual([
      ...['mine', 'words__look_up'],
    ]);
    const chosen = { type: 'function', function: { name: 'words__delete' } };
    await offered(words(), chosen);
    expect(sent().at(-1)?.tool_choice).toEqual(chosen);
  });

  it('tells the model what limits and servers refuse', async () => {
    const { id } = await admin('POST', '/policies/rate-limits', {
      ...{ conditions: [{ key: 'mcp_server', value: 'words' }], group_by: [{ key: 'mcp_server' }] },
      ...{ type: 'requests', unit: 'rpw', value: 1, target: 'mcp_tools', name: 'few' },
      workspace_id: world.app.workspaceId,
    });
    world.provider.play(asksFor('words__look_up', 'words__delete'), says('ok'));
    const [assistant_id, thread_id] = [await assistant(words()), await thread()];
    const run = await threads.runs.createAndPoll(thread_id, { assistant_id }, soon);
    expect(run.status).toBe('completed');
    // Both are made at the same time.
    expect(toldOutputs().toSorted()).toEqual(['Rate limit exceeded: few', expect.stringMatching(/ of fox$/)]);
    await world.app.rest('DELETE', `/v1/policies/rate-limits/${id}`, { key: world.app.adminKey });
  });
});

describe('access that is taken away in the middle of a run', () => {
  const access = (default_user_access: string) =>
    admin('PUT', '/mcp-servers/words/user-access', { default_user_access });

  it('is a tool error that the model sees, and the server is not reached', async () => {
    world.provider.play(asksFor('mine'), asksFor('words__look_up'), says('ok'));
    const [assistant_id, thread_id] = [await assistant(mine, words()), await thread()];
    const paused = await threads.runs.createAndPoll(thread_id, { assistant_id }, soon);
    expect(waiting(paused)).toEqual(['mine']);
    await access('deny');
    const given = { thread_id, tool_outputs: outputsFor(paused, 'done') };
    const run = await threads.runs.submitToolOutputsAndPoll(paused.id, given, soon);
    await access('allow');
    expect(run.status).toBe('completed');
    expect(sent()[1]?.tools.map((each: Json) => each.function.name)).toEqual(['mine']);
    expect(toldOutputs()).toEqual(['done', 'The tool words__look_up is not available any more.']);
    expect(reached()).toBe(0);
  });

  it('counts for a call whose turn had begun before', async () => {
    world.provider.play(async (...given) => {
      await access('deny');
      return asksFor('words__look_up')(...given);
    }, says('ok'));
    const [assistant_id, thread_id] = [await assistant(words()), await thread()];
    const run = await threads.runs.createAndPoll(thread_id, { assistant_id }, soon);
    await access('allow');
    expect(run.status).toBe('completed');
    expect(toldOutputs()).toEqual(['The credential may not use the MCP server words.']);
    expect(reached()).toBe(0);
  });

  it('ends the run where the credential itself is gone', async () => {
    const { id, key } = await admin('POST', '/api-keys/workspace/service', {
      ...{ name: 'short-lived', workspace_id: world.app.workspaceId },
      scopes: ['completions.write', 'mcp.invoke'],
    });
    world.provider.play(async (...given) => {
      await world.app.rest('DELETE', `/v1/api-keys/${id}`, { key: world.app.adminKey });
      return asksFor('words__look_up', 'words__delete', 'words__look_up')(...given);
    });
    const [assistant_id, thread_id] = [await assistant(words()), await thread()];
    const { id: runId } = await clientWith(key).beta.threads.runs.create(thread_id, { assistant_id });
    await eventually(async () => {
      const run = await threads.runs.retrieve(runId, { thread_id });
      expect(run).toMatchObject({
        status: 'failed',
        last_error: { message: expect.stringMatching(/^The credential of this run is not valid any more/) },
      });
    });
    expect(reached()).toBe(0);
  });
});

describe('a call that needs approval', () => {
  const always = words({ require_approval: 'always' });

  it('waits for the caller, and is made once it is approved', async () => {
    world.provider.play(asksFor('words__look_up', 'mine'), says('An animal.'));
    const [assistant_id, thread_id] = [await assistant(mine, always), await thread()];
    const paused = await threads.runs.createAndPoll(thread_id, { assistant_id }, soon);
    expect(paused.status).toBe('requires_action');
    expect(waiting(paused)).toEqual(['words__look_up', 'mine']);
    expect(reached()).toBe(0);
    const unclear = threads.runs.submitToolOutputs(paused.id, {
      ...{ thread_id, tool_outputs: outputsFor(paused, 'yes', 'done') },
    });
    await expect(unclear).rejects.toMatchObject({ status: 400, param: 'tool_outputs[0].output' });
    const given = { thread_id, tool_outputs: outputsFor(paused, '{"approved":true}', 'done') };
    const run = await threads.runs.submitToolOutputsAndPoll(paused.id, given, soon);
    expect(run).toMatchObject({ status: 'completed', usage: { total_tokens: 24 } });
    expect(reached()).toBe(1);
    expect(toldOutputs()).toEqual(['look.up of fox', 'done']);
    const [called, said] = await steps(thread_id, run);
    expect(called).toMatchObject({ status: 'completed', usage: { total_tokens: 12 } });
    expect(callsOf(called)).toMatchObject([answered('look.up of fox'), { function: { output: 'done' } }]);
    expect(said?.type).toBe('message_creation');
  });

  it('waits too where the organisation says so, whatever the assistant does', async () => {
    const force = (mcpForceApproval: string[]) =>
      world.app.graphql(
        'mutation ($input: UpdateOrganisationSettingsInput!) { updateOrganisationSettings(input: $input) { id } }',
        { input: { mcpForceApproval } },
      );
    await force(['words/look.up']);
    world.provider.play(asksFor('words__look_up'));
    const [assistant_id, thread_id] = [await assistant(words({ require_approval: 'never' })), await thread()];
    const paused = await threads.runs.createAndPoll(thread_id, { assistant_id }, soon);
    await force([]);
    expect([paused.status, waiting(paused)]).toEqual(['requires_action', ['words__look_up']]);
    expect(reached()).toBe(0);
  });

  it('streams what came of it, behind what needed none', async () => {
    const some = words({ require_approval: { always: { tool_names: ['look.up'] } } });
    world.provider.play(asksFor('words__delete', 'words__look_up'), says('An animal.'));
    const [assistant_id, thread_id] = [await assistant(some), await thread()];
    const paused = await threads.runs.stream(thread_id, { assistant_id }).finalRun();
    expect(waiting(paused)).toEqual(['words__look_up']);
    expect(reached()).toBe(1);
    const stream = threads.runs.submitToolOutputsStream(paused.id, {
      ...{ thread_id, tool_outputs: outputsFor(paused, '{"approved":true}') },
    });
    const run = await stream.finalRun();
    expect(run).toMatchObject({ status: 'completed', usage: { total_tokens: 24 } });
    const [streamed] = await stream.finalRunSteps();
    expect(callsOf(streamed)).toMatchObject([answered('look.up of fox')]);
    expect(toldOutputs()).toEqual(['delete of fox', 'look.up of fox']);
    const stored = await steps(thread_id, run);
    expect(stored.map(({ type, status }) => [type, status])).toEqual([
      ['tool_calls', 'completed'],
      ['tool_calls', 'completed'],
      ['message_creation', 'completed'],
    ]);
    expect(reached()).toBe(2);
  });

  it('is not made where it is refused, and the model hears of it', async () => {
    world.provider.play(asksFor('words__look_up'), says('ok'));
    const never = words({ require_approval: { never: { tool_names: ['delete'] } } });
    const [assistant_id, thread_id] = [await assistant(never), await thread()];
    const paused = await threads.runs.createAndPoll(thread_id, { assistant_id }, soon);
    const given = { thread_id, tool_outputs: outputsFor(paused, '{"approved":false}') };
    const run = await threads.runs.submitToolOutputsAndPoll(paused.id, given, soon);
    expect(run.status).toBe('completed');
    expect(toldOutputs()).toEqual(['The user did not approve the call.']);
    expect(reached()).toBe(0);
  });
});

describe('calls of one turn', () => {
  it('are made four at a time, and answered in their order', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const { onMessage } = upstream;
    upstream.onMessage = (message, response, request) => {
      const reply = onMessage(message, response, request);
      if (message.method !== 'tools/call') return reply;
      waiting.push(() =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply)),
      );
      most = Math.max(most, waiting.length);
      // The last one to come is answered first.
      if (waiting.length === 4 || reached() === 6) for (const go of waiting.splice(0).reverse()) go();
      return true;
    };
    const names = [0, 1, 2].flatMap(() => ['words__look_up', 'words__delete']);
    world.provider.play(asksFor(...names), says('ok'));
    const [assistant_id, thread_id] = [await assistant(words()), await thread()];
    const run = await threads.runs.createAndPoll(thread_id, { assistant_id }, soon);
    upstream.onMessage = onMessage;
    expect(run.status).toBe('completed');
    expect(most).toBe(4);
    expect(toldOutputs()).toEqual([0, 1, 2].flatMap(() => ['look.up of fox', 'delete of fox']));
  });
});

describe('a call whose process died', () => {
  async function takenOver() {
    isSilent = true;
    const four = ['words__look_up', 'words__delete', 'words__look_up', 'words__delete'];
    world.provider.play(asksFor(...four, 'words__delete'), says('ok'));
    const [assistant_id, thread_id] = [await assistant(words()), await thread()];
    const { id } = await threads.runs.create(thread_id, { assistant_id });
    await eventually(async () => expect(reached()).toBe(4));
    isSilent = false;
    const owner = `dead-${id}`;
    await world.app.db.collection('runs').updateOne({ _id: id as never }, { $set: { owner } });
    await world.app.db.collection('run_instances').insertOne({ _id: owner as never, seenAt: new Date(0) });
    await eventually(async () =>
      expect(await threads.runs.retrieve(id, { thread_id })).toMatchObject({ status: 'completed' }),
    );
    return toldOutputs();
  }

  it('is not made again, since the tool may have done its work; those behind it are made', async () => {
    const unknown = expect.stringMatching(/^The outcome is unknown/);
    expect(await takenOver()).toEqual([unknown, unknown, unknown, unknown, 'delete of fox']);
    expect(reached()).toBe(5);
  });

  it('is made again where the integration says that this does no harm', async () => {
    const configurations = (idempotent_tools: string[]) =>
      admin('PUT', '/mcp-integrations/words', { configurations: { cost_per_call: 0.25, idempotent_tools } });
    await configurations(['look.up']);
    const unknown = expect.stringMatching(/^The outcome is unknown/);
    const [look, remove] = ['look.up of fox', 'delete of fox'];
    expect(await takenOver()).toEqual([look, unknown, look, unknown, remove]);
    await configurations([]);
  });
});

describe('tools of MCP servers that are not there', () => {
  it('are refused by the name of the member, and nothing is asked', async () => {
    const tenant = await world.app.createTenant();
    await serveMcp(world.app, 'theirs', { url: upstream.url, tenant });
    const { id: other } = await admin('POST', '/admin/workspaces', { name: 'Other' });
    await admin('POST', '/mcp-servers', {
      ...{ name: 'elsewhere', slug: 'elsewhere', mcp_integration_id: 'words', workspace_id: other },
    });
    world.provider.play(says('never'));
    const [assistant_id, thread_id] = [await assistant(mine), await thread()];
    const refusals: [object[], string][] = [
      [[words({ server: 'nowhere' })], 'tools[0].mcp.server'],
      [[words({ server: 'theirs' })], 'tools[0].mcp.server'],
      [[words({ server: 'elsewhere' })], 'tools[0].mcp.server'],
      [[mine, words(), words()], 'tools[2].mcp.server'],
      [[{ type: 'mcp', server: 'no' }], 'tools[0].mcp.server'],
      [[{ type: 'mcp' }], 'tools[0].mcp'],
      [[words({ allowed_tools: ['delete', 'destroy'] })], 'tools[0].mcp.allowed_tools[1]'],
      [[words({ allowed_tools: { tool_names: ['destroy'] } })], 'tools[0].mcp.allowed_tools.tool_names[0]'],
      [[words({ allowed_tools: 7 })], 'tools[0].mcp.allowed_tools'],
      [[words({ require_approval: 'sometimes' })], 'tools[0].mcp.require_approval'],
      [
        [words({ require_approval: { always: { tool_names: ['destroy'] } } })],
        'tools[0].mcp.require_approval.always.tool_names[0]',
      ],
      [[words({ headers: {} })], 'tools[0].mcp.headers'],
    ];
    for (const [tools, param] of refusals) {
      const refusal = { status: 400, param };
      const making = client.beta.assistants.create({ model, tools: tools as never });
      await expect(making).rejects.toMatchObject(refusal);
      const changing = client.beta.assistants.update(assistant_id, { tools: tools as never });
      await expect(changing).rejects.toMatchObject(refusal);
      const running = threads.runs.create(thread_id, { assistant_id, tools: tools as never });
      await expect(running).rejects.toMatchObject(refusal);
    }
    expect(sent()).toHaveLength(0);
    expect(reached()).toBe(0);
  });

  it('are refused for a credential that may not use them', async () => {
    const [assistant_id, thread_id] = [await assistant(words()), await thread()];
    const { key } = await admin('POST', '/api-keys/workspace/service', {
      ...{ name: 'weak', workspace_id: world.app.workspaceId, scopes: ['completions.write'] },
    });
    const weak = clientWith(key).beta.threads.runs.create(thread_id, { assistant_id });
    await expect(weak).rejects.toMatchObject({ status: 403 });
    await admin('PUT', '/mcp-servers/words/user-access', { default_user_access: 'deny' });
    const denied = threads.runs.create(thread_id, { assistant_id });
    await expect(denied).rejects.toMatchObject({ status: 403 });
    await admin('PUT', '/mcp-servers/words/user-access', { default_user_access: 'allow' });
    expect((await threads.runs.list(thread_id)).data).toEqual([]);
  });

  it('keep the assistant that has them from runs, by its own member', async () => {
    await serveMcp(world.app, 'passing', { url: upstream.url });
    const [assistant_id, thread_id] = [await assistant(words({ server: 'passing' })), await thread()];
    await world.app.rest('DELETE', '/v1/mcp-servers/passing', { key: world.app.adminKey });
    const running = threads.runs.create(thread_id, { assistant_id });
    await expect(running).rejects.toMatchObject({ status: 400, param: 'assistant_id' });
  });
});
