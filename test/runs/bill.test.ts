import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { chatStream } from '../dataplane/formats/chat-streams.ts';
import { eventually } from '../support/eventually.ts';
import { eventStream } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';

/** A run of two turns, which cost 0.35 and 0.07 cents: 2.5 and 10 dollars a million tokens. */
let world: World;
let client: OpenAI;
let runId: string;
beforeAll(async () => {
  world = await startWorld();
  client = new OpenAI({ apiKey: world.app.workspaceKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
  const turn = (delta: object, finish: string, prompt: number, completion: number) =>
    eventStream(
      chatStream([delta], finish, {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
      }),
    );
  world.provider.play(
    turn({ tool_calls: [call] }, 'tool_calls', 1000, 100),
    turn({ content: 'Rain.' }, 'stop', 200, 20),
  );
  const { id: assistant_id } = await client.beta.assistants.create({
    model: `@${world.slug}/gpt-4o`,
    tools: [{ type: 'function', function: { name: 'weather' } }],
  });
  const thread = await client.beta.threads.create({ messages: [{ role: 'user', content: 'Rain?' }] });
  const waiting = await client.beta.threads.runs.createAndPoll(thread.id, { assistant_id });
  const [asked] = waiting.required_action?.submit_tool_outputs.tool_calls ?? [];
  const run = await client.beta.threads.runs.submitToolOutputsAndPoll(waiting.id, {
    thread_id: thread.id,
    tool_outputs: [{ tool_call_id: asked?.id, output: 'Yes' }],
  });
  expect(run.status).toBe('completed');
  runId = run.id;
  await world.app.logged();
});
afterAll(() => world.stop());

const query = `{ logHistory(limit: 10) { data {
  id cost run { id steps { turn type cost logIds message { role content } } } } } }`;
const billed = async (key: string) => {
  const { data } = await world.app.graphql(query, {}, key);
  return data.logHistory.data.filter(({ run }: any) => run?.id === runId);
};

describe('one query', () => {
  it('leads from a bill to the message, with what each step cost', async () => {
    await eventually(async () => expect(await billed(world.app.workspaceKey)).toHaveLength(2));
    const [last, first] = await billed(world.app.workspaceKey);
    expect([first.cost, last.cost]).toEqual([0.35, 0.07]);
    const { steps } = last.run;
    expect(first.run.steps).toEqual(steps);
    expect(steps).toEqual([
      {
        turn: 0,
        type: 'tool_calls',
        cost: 0.35,
        logIds: [first.id],
        message: null,
      },
      {
        turn: 1,
        type: 'message_creation',
        cost: 0.07,
        logIds: [last.id],
        message: {
          role: 'assistant',
          content: [{ type: 'text', text: { value: 'Rain.', annotations: [] } }],
        },
      },
    ]);
  });

  it('shows no log to a key that sees none, and none of others to a key that sees its own', async () => {
    const keyWith = async (...scopes: string[]) => {
      const made = await world.app.rest('POST', '/v1/api-keys/workspace/service', {
        key: world.app.adminKey,
        body: { name: scopes.join(), workspace_id: world.app.workspaceId, scopes },
      });
      return (made.body as { key: string }).key;
    };
    const [thread] = await world.app.db.collection('runs').find({}).toArray();
    const steps = `query ($threadId: ID!, $runId: ID!) {
      runSteps(threadId: $threadId, runId: $runId) { data { turn cost logIds } } }`;
    const read = async (key: string) => world.app.graphql(steps, { threadId: thread?.threadId, runId }, key);
    expect((await read(await keyWith('completions.read'))).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    const own = await read(await keyWith('completions.write'));
    expect(own.errors).toBeUndefined();
    expect(own.data.runSteps.data).toEqual([
      { turn: 1, cost: null, logIds: [] },
      { turn: 0, cost: null, logIds: [] },
    ]);
    const all = await read(await keyWith('completions.read', 'logs.view'));
    expect(all.data.runSteps.data.map(({ cost }: any) => cost)).toEqual([0.07, 0.35]);
  });
});
