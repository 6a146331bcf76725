import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const call = async (method: string, path: string, body?: unknown, key: string | null = app.workspaceKey) => {
  const answer = await app.rest(method, `/v1/threads${path}`, { body, key });
  return { ...answer, body: answer.body as any };
};
const newThread = async (body?: object) => (await call('POST', '', body)).body;
const refusal = (param: string | null, code: string | null) => ({
  status: 400,
  body: { error: { type: 'invalid_request_error', param, code } },
});
const say = (threadId: string, content: unknown = 'Hello', more: object = {}) =>
  call('POST', `/${threadId}/messages`, { role: 'user', content, ...more });

describe('a thread', () => {
  it('is made of nothing, changed and deleted', async () => {
    const thread = await newThread();
    expect(thread).toEqual({
      id: expect.stringMatching(/^thread_\w{24}$/),
      object: 'thread',
      created_at: expect.any(Number),
      tool_resources: {},
      metadata: {},
    });
    const changed = await call('POST', `/${thread.id}`, { metadata: { a: 'b' } });
    expect(changed.body).toEqual({ ...thread, metadata: { a: 'b' } });
    expect((await call('GET', `/${thread.id}`)).body).toEqual(changed.body);
    const deleted = await call('DELETE', `/${thread.id}`);
    expect(deleted.body).toEqual({ id: thread.id, object: 'thread.deleted', deleted: true });
    const gone = { status: 404, body: { error: { message: `No thread found with id '${thread.id}'.` } } };
    expect(await call('GET', `/${thread.id}`)).toMatchObject(gone);
    expect(await call('DELETE', `/${thread.id}`)).toMatchObject(gone);
    expect(await say(thread.id)).toMatchObject(gone);
    expect(await call('GET', `/${thread.id}/messages`)).toMatchObject(gone);
  });

  it('begins with messages, in their order', async () => {
    const messages = Array.from({ length: 30 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: `${at}`,
    }));
    const { id } = await newThread({ messages });
    const { body } = await call('GET', `/${id}/messages?order=asc&limit=100`);
    expect(body.data.map(({ content }: any) => content[0].text.value)).toEqual(
      messages.map((each) => each.content),
    );
  });

  it('is not made where one of its messages is refused, which is named', async () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: '' },
    ];
    expect(await call('POST', '', { messages })).toMatchObject(
      refusal('messages[1].content', 'string_below_min_length'),
    );
  });

  it('is found by nobody else, with all that is in it', async () => {
    const { id } = await newThread();
    const { body: message } = await say(id);
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '', { metadata: {} }],
      ['DELETE', ''],
      ['GET', '/messages'],
      ['POST', '/messages', { role: 'user', content: 'x' }],
      ['GET', `/messages/${message.id}`],
      ['POST', `/messages/${message.id}`, { metadata: {} }],
      ['DELETE', `/messages/${message.id}`],
    ] as const)
      expect([
        method,
        path,
        (await call(method, `/${id}${path}`, body, neighbour.workspaceKey)).status,
      ]).toEqual([method, path, 404]);
    expect((await call('GET', `/${id}/messages`)).body.data).toEqual([message]);
  });

  it('opens to a credential with the scope alone', async () => {
    const { id } = await newThread();
    const reader = await makeKey(app, 'workspace-service', { only: ['completions.read'] });
    expect((await call('GET', `/${id}`, undefined, reader)).status).toBe(200);
    expect((await call('POST', `/${id}/messages`, { role: 'user', content: 'x' }, reader)).status).toBe(403);
    expect((await call('DELETE', `/${id}`, undefined, reader)).status).toBe(403);
    expect((await call('GET', `/${id}`, undefined, null)).status).toBe(401);
  });

  it('has an id that programs cannot mix up with another', async () => {
    const { status, body } = await call('GET', '/undefined/messages');
    expect([status, body.error]).toEqual([
      400,
      {
        message: "Invalid 'thread_id': 'undefined'. Expected an ID that begins with 'thread'.",
        type: 'invalid_request_error',
        param: 'thread_id',
        code: 'invalid_value',
      },
    ]);
  });
});

describe('a message', () => {
  let threadId: string;
  beforeAll(async () => {
    threadId = (await newThread()).id;
  });

  it('shows a text as its one part', async () => {
    const { body } = await say(threadId, 'Hello', { metadata: { a: 'b' } });
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_\w{24}$/),
      object: 'thread.message',
      created_at: expect.any(Number),
      thread_id: threadId,
      status: 'completed',
      incomplete_details: null,
      completed_at: null,
      incomplete_at: null,
      role: 'user',
      content: [{ type: 'text', text: { value: 'Hello', annotations: [] } }],
      assistant_id: null,
      run_id: null,
      attachments: [],
      metadata: { a: 'b' },
    });
    expect((await call('GET', `/${threadId}/messages/${body.id}`)).body).toEqual(body);
  });

  it('has parts of text and images', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const { body } = await say(threadId, [{ type: 'text', text: 'See' }, image]);
    expect(body.content).toEqual([
      { type: 'text', text: { value: 'See', annotations: [] } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'auto' } },
    ]);
  });

  it('changes its pairs alone, and goes when it is deleted', async () => {
    const { body: message } = await say(threadId);
    const changed = await call('POST', `/${threadId}/messages/${message.id}`, { metadata: { x: 'y' } });
    expect(changed.body).toEqual({ ...message, metadata: { x: 'y' } });
    expect(await call('POST', `/${threadId}/messages/${message.id}`, { role: 'user' })).toMatchObject(
      refusal('role', 'unknown_parameter'),
    );
    const deleted = await call('DELETE', `/${threadId}/messages/${message.id}`);
    expect(deleted.body).toEqual({ id: message.id, object: 'thread.message.deleted', deleted: true });
    expect((await call('GET', `/${threadId}/messages/${message.id}`)).status).toBe(404);
  });

  it.each<[string, object, string, string]>([
    ['without a role', { role: undefined }, 'role', 'missing_required_parameter'],
    ['of another role', { role: 'system' }, 'role', 'invalid_value'],
    ['of nothing', { content: [] }, 'content', 'array_below_min_length'],
    ['of a number', { content: 1 }, 'content', 'invalid_type'],
    ['of an unknown part', { content: [{ type: 'sound' }] }, 'content[0].type', 'invalid_value'],
    ['that is too long', { content: 'x'.repeat(256_001) }, 'content', 'string_above_max_length'],
    [
      'with an image that can be no file',
      { content: [{ type: 'image_file', image_file: { file_id: 'image-1' } }] },
      'file_id',
      'invalid_value',
    ],
    [
      'with an attachment that no tool uses',
      { attachments: [{ file_id: 'file-1' }] },
      'attachments[0].tools',
      'missing_required_parameter',
    ],
    [
      'with 513 characters in a pair',
      { metadata: { a: 'x'.repeat(513) } },
      'metadata.a',
      'string_above_max_length',
    ],
  ])('%s is refused', async (_what, members, param, code) => {
    expect(await say(threadId, 'x', members)).toMatchObject(refusal(param, code));
  });
});
