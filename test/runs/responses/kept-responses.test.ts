import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import OpenAI6 from 'openai-v6';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';

const env = { ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64') };

let app: TestApp;
let client: OpenAI;
beforeAll(async () => {
  app = await startApp(env);
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(() => app.stop());

const model = '@mock/mock-1';
const refused = async (call: Promise<unknown>) =>
  call.then(
    () => ({ status: 200, message: '', code: null, param: null }),
    ({ status, message, code, param }: any) => ({ status, message, code, param }),
  );
const inputOf = async (id: string) => (await client.responses.inputItems.list(id, { order: 'asc' })).data;

describe('responses that are kept', () => {
  it('are read again as they were answered', async () => {
    const made = await client.responses.create({
      model,
      input: 'Hello there',
      instructions: 'Be kind.',
      metadata: { topic: 'greeting' },
      store: true,
    });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^resp_kept_[0-9A-Za-z]{24}$/),
      object: 'response',
      status: 'completed',
      store: true,
      background: false,
      instructions: 'Be kind.',
      metadata: { topic: 'greeting' },
      model: expect.stringContaining('mock-1'),
      previous_response_id: null,
      conversation: null,
      usage: { total_tokens: expect.any(Number) },
    });
    expect(made.output_text).toContain('Hello there');
    const { output_text: _made, ...shown } = made as any;
    const { output_text: _read, _request_id, ...read } = (await client.responses.retrieve(made.id)) as any;
    expect(read).toEqual({ ...shown, _request_id: undefined });
    expect(await inputOf(made.id)).toEqual([
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'user',
        status: 'completed',
        content: [{ type: 'input_text', text: 'Hello there' }],
      },
    ]);
  });

  it.each([
    ['openai 7', (key: string, baseURL: string): any => new OpenAI({ apiKey: key, baseURL })],
    ['openai 6', (key: string, baseURL: string): any => new OpenAI6({ apiKey: key, baseURL })],
  ])('are streamed with one id and counted events: %s', async (_sdk, make) => {
    const sdk = make(app.workspaceKey, `${app.url}/v1`);
    const stream = sdk.responses.stream({ model, input: '/long 30', store: true });
    const events: any[] = [];
    for await (const event of stream) events.push(event);
    const final = await stream.finalResponse();
    expect(final.id).toMatch(/^resp_kept_/);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, at) => at));
    expect(events[0].type).toBe('response.created');
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id: final.id } });
    const [item] = final.output;
    const named = events.flatMap(({ item_id }) => item_id ?? []);
    expect(new Set(named)).toEqual(new Set([item.id]));
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(final.output_text);
    expect((await sdk.responses.retrieve(final.id)).output).toEqual(
      final.output.map(({ content, ...rest }: any) => ({
        ...rest,
        content: content.map(({ parsed: _parsed, ...part }: any) => part),
      })),
    );
  });

  it('go on from one another, also in two ways from one', async () => {
    const first = await client.responses.create({ model, input: 'One', store: true });
    const second = await client.responses.create({ model, input: 'Two', previous_response_id: first.id });
    const [left, right] = await Promise.all([
      client.responses.create({ model, input: 'Left', previous_response_id: second.id }),
      client.responses.create({ model, input: 'Right', previous_response_id: second.id }),
    ]);
    expect(second.previous_response_id).toBe(first.id);
    expect((await inputOf(right.id)).map((item: any) => item.content[0].text)).toEqual(['Right']);
    for (const [response, word] of [
      [left, 'Left'],
      [right, 'Right'],
    ] as const)
      expect(await sentFor(response.id)).toEqual(['One', first.output_text, 'Two', second.output_text, word]);
  });

  it('ask for functions and take their outputs', async () => {
    const tools = [{ type: 'function' as const, name: 'weather', parameters: {}, strict: false }];
    const first = await client.responses.create({ model, input: '/tool Paris', tools, store: true });
    const [call] = first.output as any[];
    expect(call).toMatchObject({ type: 'function_call', name: 'weather', call_id: expect.any(String) });
    const second = await client.responses.create({
      model,
      tools,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'It rains.' }],
      previous_response_id: first.id,
    });
    expect(second.status).toBe('completed');
    expect(second.output_text).not.toBe('');
    const [output] = await inputOf(second.id);
    expect(output).toMatchObject({
      type: 'function_call_output',
      call_id: call.call_id,
      output: 'It rains.',
    });
  });

  it('leave nothing behind where the provider refuses', async () => {
    const count = () => app.db.collection('runs').countDocuments({});
    const before = await count();
    for (const stream of [false, true]) {
      const refusal = await refused(
        client.responses.create({ model, input: '/fail 429', store: true, stream }),
      );
      expect(refusal.status).toBe(429);
    }
    expect(
      (await refused(client.responses.create({ model: '@mock/none', input: 'x', store: true }))).status,
    ).toBe(404);
    expect(await count()).toBe(before);
  });

  it('are deleted', async () => {
    const made = await client.responses.create({ model, input: 'Gone', store: true });
    await client.responses.delete(made.id);
    expect(await refused(client.responses.retrieve(made.id))).toMatchObject({ status: 404 });
    expect(await refused(client.responses.delete(made.id))).toMatchObject({ status: 404 });
    expect(await app.db.collection('thread_items').countDocuments({ runId: made.id })).toBe(0);
    expect(
      await refused(client.responses.create({ model, input: 'x', previous_response_id: made.id })),
    ).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' });
  });

  it('leave nothing where they are deleted in another process while they are answered', async () => {
    const other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
    try {
      const elsewhere = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${other.url}/v1`, maxRetries: 0 });
      const input = 'cyclamen '.repeat(60);
      const asked = { model: '@mock/mock-slow-20', input, background: true, stream: true } as const;
      const answer = await client.responses.create(asked);
      let id = '';
      const read = async () => {
        for await (const event of answer) {
          if (event.type === 'response.created') id = event.response.id;
          if (event.type === 'response.output_text.delta' && id) {
            await elsewhere.responses.delete(id);
            break;
          }
        }
      };
      await read();
      const left = (name: string) => app.db.collection(name).countDocuments({ runId: id });
      // The model is asked to its end, and then logged.
      await eventually(async () =>
        expect(await app.db.collection('logs').countDocuments({ 'metadata._run': id })).toBe(1),
      );
      await eventually(async () =>
        expect([await left('thread_items'), await left('run_events')]).toEqual([0, 0]),
      );
    } finally {
      await other.stop();
    }
  });

  it('are not kept unless that is asked for', async () => {
    const made = await client.responses.create({ model, input: 'Hello' });
    expect(made.id).not.toMatch(/^resp_kept_/);
    expect(made).toMatchObject({ store: false });
  });
});

describe('responses in background', () => {
  it('are polled', async () => {
    const made = await client.responses.create({
      model: '@mock/mock-delay-100',
      input: 'Later',
      background: true,
    });
    expect(['queued', 'in_progress']).toContain(made.status);
    await eventually(async () =>
      expect(await client.responses.retrieve(made.id)).toMatchObject({
        status: 'completed',
        background: true,
      }),
    );
    expect((await client.responses.retrieve(made.id)).output_text).toContain('Later');
  });

  it('are cancelled, and stay as they are once they have ended', async () => {
    const made = await client.responses.create({
      model: '@mock/mock-delay-20000',
      input: 'Never',
      background: true,
    });
    expect((await client.responses.cancel(made.id)).status).toBe('cancelled');
    await eventually(async () =>
      expect(await app.db.collection('runs').findOne({ _id: made.id as never })).toMatchObject({
        status: 'cancelled',
      }),
    );
    expect((await client.responses.cancel(made.id)).status).toBe('cancelled');
    const done = await client.responses.create({ model, input: 'x', store: true });
    expect(await refused(client.responses.cancel(done.id))).toMatchObject({
      status: 400,
      param: 'response_id',
    });
  });

  it('say why they failed', async () => {
    const made = await client.responses.create({ model, input: '/fail 500', background: true });
    await eventually(async () =>
      expect(await client.responses.retrieve(made.id)).toMatchObject({
        status: 'failed',
        error: { code: 'server_error' },
        output: [],
      }),
    );
  });

  it('are streamed again behind an event', async () => {
    const stream = await client.responses.create({
      model,
      input: '/long 20',
      background: true,
      stream: true,
    });
    const seen: any[] = [];
    for await (const event of stream) seen.push(event);
    const { id } = seen[0].response;
    expect(seen.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    const again: any[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 4 }))
      again.push(event);
    expect(again).toEqual(seen.slice(5));
    const plain = await client.responses.create({ model, input: 'x', background: true });
    expect(await refused(client.responses.retrieve(plain.id, { stream: true }) as never)).toMatchObject({
      status: 400,
      param: 'stream',
    });
  });
});

describe('requests for responses', () => {
  it.each([
    ['store', { background: true, store: false }],
    ['background', { store: true, background: 'yes' }],
    ['stream', { store: true, stream: 'yes' }],
    ['metadata', { store: true, metadata: { a: 1 } }],
    ['input', { store: true, input: 7 }],
    ['input[0]', { store: true, input: ['x'] }],
    ['input[0].type', { store: true, input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['model', { store: true, model: '' }],
    ['previous_response_id', { previous_response_id: `resp_kept_${'a'.repeat(24)}` }],
  ])('are refused by the name of what is wrong: %s', async (param, body: object) => {
    const refusal = await refused(client.responses.create({ model, input: 'x', ...body } as never));
    expect(refusal).toMatchObject({ status: 400 });
    expect(refusal.param?.startsWith(param)).toBe(true);
  });

  it('with a provider in their headers are for that provider', async () => {
    const made = await app.rest('POST', '/v1/responses', {
      body: { model: 'mock-1', input: 'x', store: true },
      headers: { 'x-gateway-provider': 'mock' },
    });
    expect(made.status).toBe(200);
    expect((made.body as any).id).not.toMatch(/^resp_kept_/);
    const other = await app.rest('GET', '/v1/responses/resp_1234');
    expect(other.status).not.toBe(200);
    expect(JSON.stringify(other.body)).not.toContain("Response with id 'resp_1234' not found.");
  });
});

describe('conversations', () => {
  const texts = async (id: string) =>
    (await client.conversations.items.list(id, { order: 'asc' })).data.map(
      (item: any) => item.content[0].text,
    );

  it('begin with items, take more and give them back', async () => {
    const made = await client.conversations.create({
      metadata: { person: 'ada' },
      items: [{ type: 'message', role: 'user', content: 'First' }],
    });
    expect(made).toMatchObject({
      object: 'conversation',
      metadata: { person: 'ada' },
      created_at: expect.any(Number),
    });
    const { data } = await client.conversations.items.create(made.id, {
      items: [
        { type: 'message', role: 'assistant', content: 'Second' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Third' }] },
      ],
    });
    expect(data).toHaveLength(2);
    expect(await texts(made.id)).toEqual(['First', 'Second', 'Third']);
    const pages: string[] = [];
    for await (const item of client.conversations.items.list(made.id, { limit: 1, order: 'asc' }))
      pages.push((item as any).content[0].text);
    expect(pages).toEqual(['First', 'Second', 'Third']);
    const [second] = data as any[];
    expect(await client.conversations.items.retrieve(second.id, { conversation_id: made.id })).toEqual(
      second,
    );
    const left = await client.conversations.items.delete(second.id, { conversation_id: made.id });
    expect(left).toMatchObject({ id: made.id, object: 'conversation' });
    expect(await texts(made.id)).toEqual(['First', 'Third']);
    const updated = await client.conversations.update(made.id, { metadata: { person: 'bob' } });
    expect(updated.metadata).toEqual({ person: 'bob' });
    expect(await client.conversations.delete(made.id)).toEqual({
      id: made.id,
      object: 'conversation.deleted',
      deleted: true,
    });
    expect(await refused(client.conversations.retrieve(made.id))).toMatchObject({ status: 404 });
    expect(await app.db.collection('thread_items').countDocuments({ threadId: made.id })).toBe(0);
  });

  it('grow by each response, and by none that failed', async () => {
    const conversation = await client.conversations.create({});
    const first = await client.responses.create({ model, input: 'One', conversation: conversation.id });
    expect(first.conversation).toEqual({ id: conversation.id });
    await refused(client.responses.create({ model, input: '/fail 500', conversation: conversation.id }));
    const second = await client.responses.create({
      model,
      input: 'Two',
      conversation: { id: conversation.id },
    });
    expect(await texts(conversation.id)).toEqual(['One', first.output_text, 'Two', second.output_text]);
    expect(await sentFor(second.id)).toEqual(['One', first.output_text, 'Two']);
    expect(
      await refused(client.responses.create({ model, input: 'x', previous_response_id: first.id })),
    ).toMatchObject({ status: 400, param: 'previous_response_id' });
  });

  it('have one response at a time', async () => {
    const { id } = await client.conversations.create({});
    const slow = { model: '@mock/mock-delay-20000', input: 'x', conversation: id, background: true };
    const made = await client.responses.create(slow);
    expect(await refused(client.responses.create(slow))).toMatchObject({
      status: 409,
      code: 'conversation_locked',
    });
    const items = [{ type: 'message' as const, role: 'user' as const, content: 'x' }];
    expect(await refused(client.conversations.items.create(id, { items }))).toMatchObject({ status: 409 });
    await client.responses.cancel(made.id);
    await eventually(async () =>
      expect((await refused(client.conversations.items.create(id, { items }))).status).toBe(200),
    );
  });

  it('are refused by the name of what is wrong', async () => {
    const { id } = await client.conversations.create({});
    const bad = async (call: Promise<unknown>, status: number, param: string) =>
      expect(await refused(call)).toMatchObject({ status, param });
    await bad(
      client.conversations.create({ items: Array.from({ length: 21 }, () => ({})) } as never),
      400,
      'items',
    );
    await bad(client.conversations.create({ other: 1 } as never), 400, 'other');
    await bad(client.conversations.items.create(id, { items: [] }), 400, 'items');
    await bad(client.conversations.items.list(id, { limit: 1000 }) as never, 400, 'limit');
    await bad(client.conversations.items.list(id, { after: 'msg_none' }) as never, 400, 'after');
    await bad(client.conversations.items.retrieve('msg_none', { conversation_id: id }), 404, 'item_id');
    const none = `conv_kept_${'a'.repeat(24)}`;
    await bad(client.conversations.retrieve(none), 404, 'conversation_id');
    await bad(client.responses.create({ model, input: 'x', conversation: none }), 404, 'conversation');
  });
});

describe('what is kept', () => {
  it('is for its tenant alone, and for whoever may read', async () => {
    const made = await client.responses.create({ model, input: 'Secret', store: true });
    const conversation = await client.conversations.create({});
    const { workspaceKey } = await app.createTenant();
    const stranger = new OpenAI({ apiKey: workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
    for (const call of [
      () => stranger.responses.retrieve(made.id),
      () => stranger.responses.delete(made.id),
      () => stranger.responses.cancel(made.id),
      () => stranger.responses.inputItems.list(made.id),
      () => stranger.conversations.retrieve(conversation.id),
      () => stranger.conversations.update(conversation.id, { metadata: {} }),
      () => stranger.conversations.delete(conversation.id),
      () => stranger.conversations.items.list(conversation.id),
      () => stranger.responses.create({ model, input: 'x', conversation: conversation.id }),
    ])
      expect((await refused(call() as Promise<unknown>)).status).toBe(404);
    expect(
      (await refused(stranger.responses.create({ model, input: 'x', previous_response_id: made.id }))).status,
    ).toBe(400);
    expect((await client.responses.retrieve(made.id)).status).toBe('completed');
    const keyless = await app.rest('GET', `/v1/responses/${made.id}`, { key: null });
    expect(keyless.status).toBe(401);
  });

  it('leaves an entry in the audit trail where it is deleted, or was to be', async () => {
    const { id: responseId } = await client.responses.create({ model, input: 'Gone', store: true });
    const { id: conversationId } = await client.conversations.create({
      items: [{ type: 'message', role: 'user', content: 'Gone' }],
    });
    const [item] = (await client.conversations.items.list(conversationId)).data;
    await client.conversations.items.delete(item?.id ?? '', { conversation_id: conversationId });
    await client.responses.delete(responseId);
    await client.conversations.delete(conversationId);
    await refused(client.responses.delete(responseId));
    const entries = await eventually(async () => {
      const found = await app.db
        .collection('audit_logs')
        .find({ targetId: { $in: [responseId, conversationId] } })
        .sort({ sequence: 1 })
        .toArray();
      expect(found).toHaveLength(4);
      return found;
    });
    expect(
      entries.map(({ resourceType, action, targetId, outcome, responseStatusCode: status }) => [
        resourceType,
        action,
        targetId,
        outcome,
        status,
      ]),
    ).toEqual([
      ['conversation', 'delete_item', conversationId, 'success', 200],
      ['response', 'delete', responseId, 'success', 200],
      ['conversation', 'delete', conversationId, 'success', 200],
      ['response', 'delete', responseId, 'failed', 404],
    ]);
    expect(entries[0]).toMatchObject({ workspaceId: app.workspaceId, userType: 'api_key' });
  });

  it('is erased by the metadata of a response or a conversation', async () => {
    const metadata = { person: 'grace' };
    const single = await client.responses.create({ model, input: 'Alone', metadata, store: true });
    const conversation = await client.conversations.create({ metadata });
    await client.responses.create({ model, input: 'Within', conversation: conversation.id });
    const { data } = await app.graphql(
      'mutation ($input: EraseThreadsInput!) { eraseThreads(input: $input) { threads messages runs } }',
      { input: { metadata } },
      app.adminKey,
    );
    expect(data?.eraseThreads).toEqual({ threads: 2, messages: 4, runs: 2 });
    expect(await refused(client.responses.retrieve(single.id))).toMatchObject({ status: 404 });
    expect(await refused(client.conversations.retrieve(conversation.id))).toMatchObject({ status: 404 });
  });

  it('is no run of assistants', async () => {
    const made = await client.responses.create({ model, input: 'Hello', store: true });
    await eventually(async () => {
      const { data } = await app.graphql(
        '{ logHistory(limit: 1) { data { run { id } metadata } } }',
        {},
        app.workspaceKey,
      );
      const [log] = data.logHistory.data;
      expect(log).toMatchObject({ run: null, metadata: { _run: made.id } });
    });
  });
});

/** The texts that the model was sent for a response, as its log has them. */
async function sentFor(id: string): Promise<string[]> {
  let texts: string[] = [];
  await eventually(async () => {
    await app.logged();
    const { data } = await app.graphql(
      '{ logHistory(limit: 100) { data { metadata request { body } } } }',
      {},
      app.workspaceKey,
    );
    const found = data.logHistory.data.find(({ metadata }: any) => metadata._run === id);
    texts = found.request.body.input.map((item: any) => item.content[0].text);
  });
  return texts;
}
