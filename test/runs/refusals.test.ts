import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { majors } from './majors.ts';

type Json = any;

let app: TestApp;
/** Objects that a request may name; `busy` is a thread that waits for outputs, in its run `waiting`, `done` a run that is over. */
const ids = { assistant: '', thread: '', busy: '', waiting: '', done: '' };
let reader: string;
beforeAll(async () => {
  app = await startApp({ RUN_SLOTS: '3', RUN_WORKSPACE_SLOTS: '3', RUN_QUEUE_MAX: '1' });
  reader = await makeKey(app, 'workspace-service', { only: ['completions.read'] });
  const tools = [{ type: 'function', function: { name: 'look' } }];
  ids.assistant = (await made('/assistants', { model: '@mock/mock-1', tools })).id;
  ids.thread = (await made('/threads', { messages: [{ role: 'user', content: 'Hi' }] })).id;
  const body = { assistant_id: ids.assistant };
  ids.done = (await settled(await made(`/threads/${ids.thread}/runs`, { ...body, tools: [] }))).id;
  ids.busy = (await made('/threads', { messages: [{ role: 'user', content: '/tool' }] })).id;
  ids.waiting = (await settled(await made(`/threads/${ids.busy}/runs`, body))).id;
});
afterAll(() => app.stop());

type Asked = { body?: unknown; key?: string | null; headers?: Record<string, string> };
const send = (method: string, path: string, asked: Asked = {}) =>
  app.rest(method, `/v1${path}`, asked as never) as Promise<{ status: number; body: Json; headers: Headers }>;
const made = async (path: string, body: object): Promise<Json> => {
  const answer = await send('POST', path, { body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
async function settled({ thread_id: threadId, id }: Json): Promise<Json> {
  for (;;) {
    const { body } = await send('GET', `/threads/${threadId}/runs/${id}`);
    if (!['queued', 'in_progress'].includes(body.status)) return body;
  }
}

/** What a refusal says, and the whole of it. */
type Said = { message: string; param?: string | null; code?: string | null; type?: string };
type Row = [what: string, status: number, ask: () => [string, string, Asked?], said: () => Said];
const runs = (thread: string) => `/threads/${thread}/runs`;
const field = (param: string, code: string): Said => ({ message: expect.any(String) as never, param, code });
const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_none, at) => [`k${at}`, 'v']));
const withRun = (members: object, thread = ids.thread): [string, string, Asked] => [
  'POST',
  runs(thread),
  { body: { assistant_id: ids.assistant, ...members } },
];

const fields: Row[] = [
  [
    'no assistant',
    400,
    () => withRun({ assistant_id: undefined }),
    () => field('assistant_id', 'missing_required_parameter'),
  ],
  ['a number as model', 400, () => withRun({ model: 7 }), () => field('model', 'invalid_type')],
  [
    'another choice of tools',
    400,
    () => withRun({ tool_choice: 'any' }),
    () => field('tool_choice', 'invalid_value'),
  ],
  ['an unknown member', 400, () => withRun({ colour: 'red' }), () => field('colour', 'unknown_parameter')],
  [
    'a small budget',
    400,
    () => withRun({ max_prompt_tokens: 255 }),
    () => field('max_prompt_tokens', 'integer_below_min_value'),
  ],
  [
    'a long page',
    400,
    () => ['GET', `${runs(ids.thread)}?limit=101`],
    () => field('limit', 'integer_above_max_value'),
  ],
  [
    'a long value',
    400,
    () => withRun({ metadata: { a: 'v'.repeat(513) } }),
    () => field('metadata.a', 'string_above_max_length'),
  ],
  ['17 pairs', 400, () => withRun({ metadata: pairs(17) }), () => field('metadata', 'invalid_value')],
  [
    '21 tools',
    400,
    () => withRun({ tools: Array(21).fill({ type: 'file_search' }) }),
    () => field('tools', 'array_above_max_length'),
  ],
  [
    'an unknown order',
    400,
    () => ['GET', `${runs(ids.thread)}?order=bogus`],
    () => field('order', 'invalid_value'),
  ],
  [
    'outputs of no call',
    400,
    () => ['POST', `${runs(ids.busy)}/${ids.waiting}/submit_tool_outputs`, { body: {} }],
    () => field('tool_outputs', 'missing_required_parameter'),
  ],
  [
    'an output of a call without a name',
    400,
    () => [
      'POST',
      `${runs(ids.busy)}/${ids.waiting}/submit_tool_outputs`,
      { body: { tool_outputs: [{ output: 'x' }] } },
    ],
    () => field('tool_outputs[0].tool_call_id', 'missing_required_parameter'),
  ],
  [
    'an id of another kind',
    400,
    () => ['GET', '/threads/undefined/runs'],
    () => ({
      message: "Invalid 'thread_id': 'undefined'. Expected an ID that begins with 'thread'.",
      param: 'thread_id',
      code: 'invalid_value',
    }),
  ],
  [
    'no JSON',
    400,
    () => [
      'POST',
      runs(ids.thread),
      { body: '{"assistant_id":', headers: { 'content-type': 'application/json' } },
    ],
    () => field(null as never, 'malformed_body'),
  ],
  [
    'too much',
    413,
    () => withRun({ instructions: 'x'.repeat(9_000_000) }),
    () => field(null as never, 'body_too_large'),
  ],
];

const states: Row[] = [
  [
    'a second run',
    400,
    () => withRun({}, ids.busy),
    () => ({ message: `Thread ${ids.busy} already has an active run ${ids.waiting}.` }),
  ],
  [
    'a message in between',
    400,
    () => ['POST', `/threads/${ids.busy}/messages`, { body: { role: 'user', content: 'x' } }],
    () => ({ message: `Can't add messages to ${ids.busy} while a run ${ids.waiting} is active.` }),
  ],
  [
    'a message that comes with a second run',
    400,
    () => withRun({ additional_messages: [{ role: 'user', content: 'x' }] }, ids.busy),
    () => ({ message: `Thread ${ids.busy} already has an active run ${ids.waiting}.` }),
  ],
  [
    'a cancel that comes too late',
    400,
    () => ['POST', `${runs(ids.thread)}/${ids.done}/cancel`],
    () => ({ message: "Cannot cancel run with status 'completed'." }),
  ],
  [
    'outputs that come too late',
    400,
    () => [
      'POST',
      `${runs(ids.thread)}/${ids.done}/submit_tool_outputs`,
      { body: { tool_outputs: [{ tool_call_id: 'call_x' }] } },
    ],
    () => ({ message: 'Runs in status "completed" do not accept tool outputs.' }),
  ],
];

const strangers: Row[] = [
  [
    'a thread',
    404,
    () => ['GET', '/threads/thread_x'],
    () => ({ message: "No thread found with id 'thread_x'." }),
  ],
  [
    'the thread of a run',
    404,
    () => withRun({}, 'thread_x'),
    () => ({ message: "No thread found with id 'thread_x'." }),
  ],
  [
    'an assistant',
    404,
    () => withRun({ assistant_id: 'asst_x' }),
    () => ({ message: "No assistant found with id 'asst_x'." }),
  ],
  [
    'a run',
    404,
    () => ['GET', `${runs(ids.thread)}/run_x`],
    () => ({ message: "No run found with id 'run_x'." }),
  ],
  [
    'a run of another thread',
    404,
    () => ['GET', `${runs(ids.thread)}/${ids.waiting}`],
    () => ({ message: `No run found with id '${ids.waiting}'.` }),
  ],
  [
    'a message',
    404,
    () => ['GET', `/threads/${ids.thread}/messages/msg_x`],
    () => ({ message: "No message found with id 'msg_x'." }),
  ],
];

const callers: Row[] = [
  [
    'nobody',
    401,
    () => ['POST', runs(ids.thread), { key: null, body: {} }],
    () => ({ message: expect.any(String) as never, code: 'invalid_api_key' }),
  ],
  [
    'a key that is none',
    401,
    () => ['POST', runs(ids.thread), { key: 'sk-wrong', body: {} }],
    () => ({ message: expect.any(String) as never, code: 'invalid_api_key' }),
  ],
  [
    'a key that may only read',
    403,
    () => ['POST', runs(ids.thread), { key: reader, body: { assistant_id: ids.assistant } }],
    () => ({ message: expect.any(String) as never, code: 'forbidden', type: 'permission_error' }),
  ],
];

describe.each([
  ['a field:', fields],
  ['what the state of a run does not allow:', states],
  ['what is not there:', strangers],
  ['whoever may not:', callers],
])('refused is %s', (_group, rows) => {
  it.each(rows)('%s', async (_what, status, ask, said) => {
    const answer = await send(...ask());
    expect([answer.status, answer.body]).toEqual([
      status,
      { error: { type: 'invalid_request_error', param: null, code: null, ...said() } },
    ]);
  });
});

const sdks = majors(() => ({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 }));

describe.each(Object.entries(sdks))('the classes of %s', (_name, sdk) => {
  it('are those of the status', async () => {
    const client = sdk.client();
    const { runs: ofThreads } = client.beta.threads;
    const classOf = (call: Promise<unknown>) =>
      call.then(
        () => 'none',
        (error: Json) => `${error.constructor.name} ${error.status} ${error.type} ${error.code}`,
      );
    const as = (apiKey: string) => new client.constructor({ apiKey, baseURL: client.baseURL, maxRetries: 0 });
    const asked = { assistant_id: ids.assistant };
    expect(await classOf(ofThreads.create(ids.busy, asked))).toBe(
      'BadRequestError 400 invalid_request_error null',
    );
    expect(await classOf(as('sk-wrong').beta.threads.create())).toBe(
      'AuthenticationError 401 invalid_request_error invalid_api_key',
    );
    expect(await classOf(as(reader).beta.threads.create())).toBe(
      'PermissionDeniedError 403 permission_error forbidden',
    );
    expect(await classOf(client.beta.threads.retrieve('thread_x'))).toBe(
      'NotFoundError 404 invalid_request_error null',
    );
  });
});

it('whoever floods is told when to come again, as SDKs read it', async () => {
  const slow = (await made('/assistants', { model: '@mock/mock-slow-500' })).id;
  const ask = () =>
    send('POST', '/threads/runs', {
      body: { assistant_id: slow, thread: { messages: [{ role: 'user', content: 'a '.repeat(100) }] } },
    });
  const begun = [await ask(), await ask(), await ask(), await ask()];
  expect(begun.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { status, body, headers } = await ask();
  expect([status, headers.get('retry-after'), headers.get('x-should-retry'), body]).toEqual([
    429,
    '1',
    'true',
    {
      error: {
        message: expect.any(String),
        type: 'rate_limit_exceeded',
        param: null,
        code: 'too_many_waiting_runs',
      },
    },
  ]);
  for (const run of begun) await send('POST', `/threads/${run.body.thread_id}/runs/${run.body.id}/cancel`);
});
