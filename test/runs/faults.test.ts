import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { chatStream } from '../dataplane/formats/chat-streams.ts';
import { makeKey } from '../subgraphs/support.ts';
import { eventually } from '../support/eventually.ts';
import { eventStream, json, type Script } from '../support/provider.ts';
import { startWorld, until, type World } from '../support/world.ts';

let world: World;
let client: OpenAI;
let model: string;
let clock = 0;
beforeAll(async () => {
  world = await startWorld({}, undefined, () => new Date(Date.now() + clock));
  client = clientWith(world.app.workspaceKey);
  model = `@${world.slug}/gpt-test`;
});
afterAll(() => world.stop());
beforeEach(() => {
  clock = 0;
});

const clientWith = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
const soon = { pollIntervalMs: 20 };
const tools = [{ type: 'function' as const, function: { name: 'look' } }];
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const says = (content: string): Script => eventStream(chatStream([{ content }], 'stop', usage));
const callsLook: Script = eventStream(
  chatStream(
    [
      {
        tool_calls: [
          { index: 0, id: 'given', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
    ],
    'tool_calls',
    usage,
  ),
);
/** Takes the request, and never says a word. */
const silent: Script = () => undefined;

const thread = async () =>
  (await client.beta.threads.create({ messages: [{ role: 'user', content: 'Hi' }] })).id;
const assistant = async (asked = model) => (await client.beta.assistants.create({ model: asked, tools })).id;
type Begun = { threadId: string; runId: string };
async function begin(by = client, headers: Record<string, string> = {}): Promise<Begun> {
  const threadId = await thread();
  const { id } = await by.beta.threads.runs.create(
    threadId,
    { assistant_id: await assistant() },
    { headers },
  );
  return { threadId, runId: id };
}
const now = ({ threadId, runId }: Begun) => client.beta.threads.runs.retrieve(runId, { thread_id: threadId });
const settled = (begun: Begun) =>
  eventually(async () => {
    const run = await now(begun);
    expect(['queued', 'in_progress', 'cancelling']).not.toContain(run.status);
    return run;
  });
const outputsFor = ({ threadId }: Begun, run: OpenAI.Beta.Threads.Run) => ({
  thread_id: threadId,
  tool_outputs: (run.required_action?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => ({
    ...{ tool_call_id: id, output: 'Seen' },
  })),
});
const steps = async ({ threadId, runId }: Begun) =>
  (await client.beta.threads.runs.steps.list(runId, { thread_id: threadId, order: 'asc' })).data;
/** Whoever waited for the run can go on: its thread takes a message. */
const requireFree = async ({ threadId }: Begun) =>
  expect((await client.beta.threads.messages.create(threadId, { role: 'user', content: 'x' })).role).toBe(
    'user',
  );

describe('a run whose provider', () => {
  it('is down fails, and frees its thread', async () => {
    const slug = await world.makeProvider({ configurations: { custom_host: 'http://127.0.0.1:9/v1' } });
    const threadId = await thread();
    const run = await client.beta.threads.runs.createAndPoll(
      threadId,
      { assistant_id: await assistant(`@${slug}/gpt-test`) },
      soon,
    );
    expect(run).toMatchObject({
      ...{ status: 'failed', failed_at: expect.any(Number), completed_at: null },
      last_error: { code: 'server_error', message: expect.any(String) },
    });
    await requireFree({ threadId, runId: run.id });
  });

  it('is slower than its config allows fails, and the request to it is given up', async () => {
    world.provider.play(silent);
    const config = JSON.stringify({ request_timeout: 200 });
    const begun = await begin(client, { 'x-gateway-provider': 'gateway', 'x-gateway-config': config });
    expect(await settled(begun)).toMatchObject({ status: 'failed', last_error: { code: 'server_error' } });
    await until(() => world.provider.aborted === 1);
    await requireFree(begun);
  });

  it('says nothing for ten minutes expires, and the request to it is given up', async () => {
    world.provider.play(silent);
    const begun = await begin();
    await until(() => world.provider.requests.length === 1);
    clock = 601_000;
    expect((await now(begun)).status).toBe('expired');
    await until(() => world.provider.aborted === 1);
    clock = 0;
    await requireFree(begun);
  });

  it('says nothing is cancelled within a moment, and the request to it is given up', async () => {
    world.provider.play(silent);
    const begun = await begin();
    await until(() => world.provider.requests.length === 1);
    await client.beta.threads.runs.cancel(begun.runId, { thread_id: begun.threadId });
    expect((await settled(begun)).status).toBe('cancelled');
    await until(() => world.provider.aborted === 1);
    await requireFree(begun);
  });

  it('limits its rate between two turns fails, and keeps what the first turn has done and cost', async () => {
    world.provider.play(callsLook, json(429, { error: { message: 'Too fast' } }, { 'retry-after': '60' }));
    const begun = await begin();
    const waiting = await settled(begun);
    expect(waiting.status).toBe('requires_action');
    const run = await client.beta.threads.runs.submitToolOutputsAndPoll(
      begun.runId,
      outputsFor(begun, waiting),
      soon,
    );
    expect(run).toMatchObject({
      ...{ status: 'failed', required_action: null, usage },
      last_error: { code: 'rate_limit_exceeded', message: expect.stringContaining('Too fast') },
    });
    expect(await steps(begun)).toMatchObject([
      { type: 'tool_calls', status: 'completed', usage, last_error: null },
    ]);
    await requireFree(begun);
  });
});

describe('a run', () => {
  it('whose key is revoked between two turns fails, and its provider is not asked again', async () => {
    world.provider.play(callsLook, says('Never'));
    const key = await makeKey(world.app, 'workspace-service', { only: ['completions.write'] });
    const begun = await begin(clientWith(key));
    const waiting = await settled(begun);
    const { _id: keyId } = (await world.app.db
      .collection<{ _id: string }>('api_keys')
      .findOne({}, { sort: { createdAt: -1 } })) ?? { _id: '' };
    await world.app.rest('DELETE', `/v1/api-keys/${keyId}`, { key: world.app.adminKey });
    await eventually(() =>
      expect(clientWith(key).beta.threads.retrieve(begun.threadId)).rejects.toThrow('401'),
    );
    // Somebody else of the workspace brings the outputs: the turn comes with the credential of the run.
    const run = await client.beta.threads.runs.submitToolOutputsAndPoll(
      begun.runId,
      outputsFor(begun, waiting),
      soon,
    );
    expect(run).toMatchObject({
      status: 'failed',
      last_error: {
        code: 'server_error',
        message: expect.stringMatching(/^The credential of this run is not valid any more/),
      },
    });
    expect(world.provider.requests).toHaveLength(1);
    await requireFree(begun);
  });

  it('whose thread is deleted while the provider is silent gives the request up, and leaves nothing', async () => {
    world.provider.play(silent);
    const { threadId } = await begin();
    await until(() => world.provider.requests.length === 1);
    await client.beta.threads.delete(threadId);
    await until(() => world.provider.aborted === 1);
    await eventually(async () => {
      for (const name of ['runs', 'thread_items', 'threads'])
        expect([
          name,
          await world.app.db
            .collection(name)
            .countDocuments({ $or: [{ threadId }, { _id: threadId as never }] }),
        ]).toEqual([name, 0]);
    });
  });

  it('goes on with the outputs of that one of many callers who is told so', async () => {
    world.provider.play(callsLook, says('Once'));
    const begun = await begin();
    const { thread_id, tool_outputs } = outputsFor(begun, await settled(begun));
    const submit = (output: string) =>
      client.beta.threads.runs
        .submitToolOutputs(begun.runId, {
          thread_id,
          tool_outputs: tool_outputs.map(({ tool_call_id }) => ({ tool_call_id, output })),
        })
        .then(
          () => output,
          ({ status, message }) => ({ status, message }),
        );
    const answers = await Promise.all(Array.from({ length: 10 }, (_none, at) => submit(`Seen by ${at}`)));
    const taken = answers.filter((answer) => typeof answer === 'string');
    expect(taken).toHaveLength(1);
    for (const answer of answers)
      if (typeof answer !== 'string')
        expect(answer).toEqual({
          status: 400,
          message: expect.stringContaining('do not accept tool outputs'),
        });
    expect((await settled(begun)).status).toBe('completed');
    expect(world.provider.requests).toHaveLength(2);
    const { messages } = JSON.parse(String(world.provider.requests[1]?.body));
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: taken[0] });
    expect(await steps(begun)).toMatchObject([
      { step_details: { tool_calls: [{ function: { output: taken[0] } }] } },
      { type: 'message_creation' },
    ]);
  });

  it('is cancelled at the moment at which its outputs come as at any other', async () => {
    for (let round = 0; round < 8; round++) {
      world.provider.play(callsLook, silent);
      const begun = await begin();
      const outputs = outputsFor(begun, await settled(begun));
      const [asked] = await Promise.all([
        client.beta.threads.runs.cancel(begun.runId, { thread_id: begun.threadId }),
        client.beta.threads.runs.submitToolOutputs(begun.runId, outputs).catch(() => null),
      ]);
      expect(asked.status).toBe('cancelling');
      expect((await settled(begun)).status).toBe('cancelled');
    }
  });
});
