import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Portkey } from 'portkey-ai';
import { startApp, type TestApp } from '../support/app.ts';
import { type Client, majors, type Sdk, submitted } from './majors.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ HEADER_PREFIX_ALIASES: 'x-portkey-' });
});
afterAll(() => app.stop());

const sdks = majors(() => ({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1` }));

const weather = { type: 'function', function: { name: 'weather' } };
const assistant = async ({ beta }: Client, tools: object[] = []): Promise<string> =>
  (await beta.assistants.create({ model: '@mock/mock-1', tools })).id;
const thread = async ({ beta }: Client, content: string): Promise<string> =>
  (await beta.threads.create({ messages: [{ role: 'user', content }] })).id;
/** The bytes of a run's stream, as they come through the SDK. */
async function wireOf(client: Client, assistant_id: string, content: string): Promise<string> {
  const asked = { assistant_id, stream: true };
  const { runs } = client.beta.threads;
  return (await runs.create(await thread(client, content), asked).asResponse()).text();
}
const soon = { pollIntervalMs: 20 };
const text = (name: string, content: string) => new File([content], name, { type: 'text/plain' });
const refusal = (call: Promise<unknown>): Promise<any> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

/** A client that notes each of its requests, with when the answer says to come again. */
function noting(sdk: Sdk): { client: Client; seen: { method: string; pollAfter: string | null }[] } {
  const seen: { method: string; pollAfter: string | null }[] = [];
  const noted = async (url: string, init: RequestInit) => {
    const answer = await fetch(url, init);
    seen.push({ method: init.method ?? 'GET', pollAfter: answer.headers.get('openai-poll-after-ms') });
    return answer;
  };
  return { client: sdk.client({ fetch: noted }), seen };
}

/** What each SDK has to be able to do, by the checks that it belongs to. */
const scripts: [checks: string, script: (sdk: Sdk, client: Client) => Promise<void>][] = [
  [
    'C1, C2, C25: a run is polled until it has answered',
    async ({ named }, client) => {
      const [id, threadId] = [await assistant(client), await thread(client, 'Hello there')];
      const run = await client.beta.threads.runs.createAndPoll(threadId, { assistant_id: id });
      expect(run.status).toBe('completed');
      const { data } = await client.beta.threads.messages.list(threadId);
      expect(data[0]).toMatchObject({ role: 'assistant', run_id: run.id });
      expect(await client.beta.threads.runs.retrieve(...named(threadId, run.id))).toMatchObject({
        id: run.id,
      });
    },
  ],
  [
    'C25: a run is polled as often as its answers say',
    async (sdk, client) => {
      const { id } = await client.beta.assistants.create({ model: '@mock/mock-slow-100' });
      const threadId = await thread(client, 'one two three four five six seven eight nine ten');
      const { client: noted, seen } = noting(sdk);
      const run = await noted.beta.threads.runs.createAndPoll(threadId, { assistant_id: id });
      expect(run.status).toBe('completed');
      const looks = seen.filter(({ method }) => method.toUpperCase() === 'GET');
      // By itself the SDK waits for five seconds, and would look twice.
      expect(looks.length).toBeGreaterThan(2);
      expect(looks.slice(0, -1).every(({ pollAfter }) => Number(pollAfter) > 0)).toBe(true);
    },
  ],
  [
    'C3, C4: a stream says what the message has',
    async (_sdk, client) => {
      const [id, threadId] = [await assistant(client), await thread(client, 'One two three')];
      let text = '';
      const events: string[] = [];
      const stream = client.beta.threads.runs
        .stream(threadId, { assistant_id: id })
        .on('textDelta', ({ value }: { value: string }) => {
          text += value;
        })
        .on('event', ({ event }: { event: string }) => events.push(event));
      expect((await stream.finalRun()).status).toBe('completed');
      const [message] = await stream.finalMessages();
      expect([text, message.content[0].text.value]).toEqual(['One two three', 'One two three']);
      expect(events[0]).toBe('thread.run.created');
      expect(events).toContain('thread.message.completed');
      expect(await wireOf(client, id, 'Hello')).toMatch(
        /event: thread\.run\.completed\n.+\n\nevent: done\ndata: \[DONE\]\n\n$/,
      );
    },
  ],
  [
    'C17: a run that its provider fails says so at the end of its stream, which throws nothing',
    async (_sdk, client) => {
      const id = await assistant(client);
      const stream = client.beta.threads.runs.stream(await thread(client, '/fail 429'), { assistant_id: id });
      const run = await stream.finalRun();
      expect([run.status, run.last_error.code]).toEqual(['failed', 'rate_limit_exceeded']);
      expect(await wireOf(client, id, '/fail 429')).toMatch(
        /event: thread\.run\.failed\n.+\n\nevent: done\ndata: \[DONE\]\n\n$/,
      );
    },
  ],
  [
    'C5, C6: a run waits for the output of a function, and goes on with it',
    async (sdk, client) => {
      const [id, threadId] = [await assistant(client, [weather]), await thread(client, '/tool Paris')];
      const { runs } = client.beta.threads;
      const run = await runs.createAndPoll(threadId, { assistant_id: id });
      expect(run.status).toBe('requires_action');
      expect(run.required_action.submit_tool_outputs.tool_calls).toEqual([
        {
          ...{ id: expect.stringMatching(/^call_/), type: 'function' },
          function: { name: 'weather', arguments: expect.any(String) },
        },
      ]);
      const done = await runs.submitToolOutputsAndPoll(...submitted(sdk, threadId, run));
      expect(done.status).toBe('completed');
      expect(done.usage.total_tokens).toBeGreaterThan(0);
      const { data } = await runs.steps.list(...sdk.named(threadId, run.id, { order: 'asc' }));
      expect(data[0]).toMatchObject({ type: 'tool_calls', status: 'completed' });
      expect(data[0].step_details.tool_calls[0].function.output).toEqual(expect.any(String));
    },
  ],
  [
    'C7, C16: streams of rounds of tools keep the order that the SDK insists on',
    async (sdk, client) => {
      const [id, threadId] = [await assistant(client, [weather]), await thread(client, 'Hi')];
      const { runs, messages } = client.beta.threads;
      for (let round = 0; round < 3; round++) {
        await messages.create(threadId, { role: 'user', content: '/tool again' });
        const events: string[] = [];
        const tell = ({ event }: { event: string }) => events.push(event);
        const run = await runs.stream(threadId, { assistant_id: id }).on('event', tell).finalRun();
        expect(events.at(-1)).toBe('thread.run.requires_action');
        events.length = 0;
        const stream = runs.submitToolOutputsStream(...submitted(sdk, threadId, run)).on('event', tell);
        expect((await stream.finalRun()).status).toBe('completed');
        expect(events.slice(0, 2)).toEqual(['thread.run.step.completed', 'thread.run.queued']);
      }
    },
  ],
  [
    'C9, C20, C22: what is refused has the classes of the SDK, and is not tried again',
    async (sdk, client) => {
      const { named } = sdk;
      const [id, threadId] = [await assistant(client, [weather]), await thread(client, '/tool')];
      const { runs } = client.beta.threads;
      const { APIError } = client.constructor;
      await runs.createAndPoll(threadId, { assistant_id: id });
      const { client: noted, seen } = noting(sdk);
      const busy = await refusal(noted.beta.threads.runs.create(threadId, { assistant_id: id }));
      expect(seen).toHaveLength(1);
      expect(busy).toBeInstanceOf(APIError);
      expect(busy).toMatchObject({ status: 400, type: 'invalid_request_error' });
      expect(busy.message).toContain('already has an active run');
      expect(busy.constructor.name).toBe('BadRequestError');
      const unknown = await refusal(runs.retrieve(...named(threadId, 'run_none')));
      expect([unknown.constructor.name, unknown.status]).toEqual(['NotFoundError', 404]);
      const mixed = await refusal(client.beta.threads.retrieve('undefined'));
      expect([mixed.status, mixed.param]).toEqual([400, 'thread_id']);
      for (const wrong of [{ limit: 0 }, { limit: 101 }, { order: 'up' }])
        expect((await refusal(client.beta.threads.messages.list(threadId, wrong))).status).toBe(400);
    },
  ],
  [
    'C18: a stream that breaks off throws, with the code',
    async ({ remove }, client) => {
      const { id } = await client.beta.assistants.create({ model: '@mock/mock-slow-200' });
      const threadId = await thread(client, 'word '.repeat(300));
      const reading = async () => {
        const stream = await client.beta.threads.runs.create(threadId, { assistant_id: id, stream: true });
        for await (const { event } of stream)
          if (event === 'thread.message.created') await client.beta.threads[remove](threadId);
      };
      const error = await refusal(reading());
      expect(error).toBeInstanceOf(client.constructor.APIError);
      expect(error.code).toBe('stream_interrupted');
    },
  ],
  [
    'C21: a list is walked to its end',
    async (_sdk, client) => {
      const messages = Array.from({ length: 45 }, (_none, at) => ({ role: 'user', content: `${at}` }));
      const { id } = await client.beta.threads.create({ messages: messages.slice(0, 45) });
      for (const order of ['asc', 'desc']) {
        const seen: string[] = [];
        for await (const message of client.beta.threads.messages.list(id, { order, limit: 20 }))
          seen.push(message.content[0].text.value);
        const expected = messages.map(({ content }) => content);
        expect(seen).toEqual(order === 'asc' ? expected : expected.toReversed());
      }
      const page = await client.beta.threads.messages.list(id, { order: 'asc', limit: 20 });
      expect([page.data.length, page.has_more]).toEqual([20, true]);
      const next = await client.beta.threads.messages.list(id, {
        order: 'asc',
        after: page.data[19].id,
        limit: 30,
      });
      expect([next.data.length, next.has_more]).toEqual([25, false]);
      const back = await client.beta.threads.messages.list(id, { order: 'asc', before: next.data[0].id });
      expect(back.data).toEqual(page.data);
      const listed = await client.beta.threads.messages.list(id, { order: 'asc', limit: 20 }).asResponse();
      expect(await listed.json()).toMatchObject({ first_id: page.data[0].id, last_id: page.data[19].id });
    },
  ],
  [
    'C23, C24, C25, C38: files are put into a vector store by the helpers of the SDK, and leave it with themselves',
    async ({ remove }, client) => {
      const { id } = await client.vectorStores.create({ name: 'Birds' });
      const { files: storeFiles, fileBatches } = client.vectorStores;
      const one = await storeFiles.uploadAndPoll(id, text('heron.txt', 'Herons nest in trees.'), soon);
      expect(one).toMatchObject({ object: 'vector_store.file', status: 'completed', last_error: null });
      const files = [text('owl.txt', 'Owls hunt at night.'), text('swift.txt', 'Swifts sleep in the air.')];
      const batch = await fileBatches.uploadAndPoll(id, { files, fileIds: [one.id] }, soon);
      expect(batch).toMatchObject({
        ...{ object: 'vector_store.files_batch', status: 'completed' },
        file_counts: { in_progress: 0, completed: 3, failed: 0, cancelled: 0, total: 3 },
      });
      const picture = await client.files.create({ file: text('none.png', 'none'), purpose: 'assistants' });
      const failed = await storeFiles.createAndPoll(id, { file_id: picture.id }, soon);
      expect(failed).toMatchObject({ status: 'failed', last_error: { code: 'unsupported_file' } });
      expect(await client.files[remove](one.id)).toMatchObject({ object: 'file', deleted: true });
      const left: string[] = [];
      for await (const file of storeFiles.list(id)) left.push(file.id);
      expect(left).toHaveLength(3);
      expect(left).not.toContain(one.id);
    },
  ],
  [
    'C26, C27, C30: a run searches what is attached to a message, and cites it',
    async ({ named }, client) => {
      const file = await client.files.create({
        ...{ file: text('heron.txt', 'Herons nest high in old trees.'), purpose: 'assistants' },
      });
      const assistant_id = await assistant(client, [{ type: 'file_search' }]);
      const attachments = [{ file_id: file.id, tools: [{ type: 'file_search' }] }];
      const question = { role: 'user', content: '/search herons nest', attachments };
      const { id } = await client.beta.threads.create({ messages: [question] });
      const run = await client.beta.threads.runs.createAndPoll(id, { assistant_id }, soon);
      expect([run.status, run.last_error]).toEqual(['completed', null]);
      const { data } = await client.beta.threads.messages.list(id);
      const { value, annotations } = data[0].content[0].text;
      expect(annotations[0]).toMatchObject({
        ...{ type: 'file_citation', file_citation: { file_id: file.id } },
        text: value.slice(annotations[0].start_index, annotations[0].end_index),
      });
      const { data: steps } = await client.beta.threads.runs.steps.list(...named(id, run.id));
      const found = steps.find(({ type }: { type: string }) => type === 'tool_calls').step_details
        .tool_calls[0];
      expect(found.file_search.results[0]).toMatchObject({
        ...{ file_id: file.id, file_name: 'heron.txt', score: expect.any(Number) },
      });
      expect(found.file_search.results[0].content).toBeUndefined();
    },
  ],
  [
    'C38: what is deleted says so',
    async ({ remove }, client) => {
      const [id, threadId] = [await assistant(client), await thread(client, 'Hi')];
      expect(await client.beta.assistants[remove](id)).toMatchObject({
        object: 'assistant.deleted',
        deleted: true,
      });
      expect(await client.beta.threads[remove](threadId)).toMatchObject({
        object: 'thread.deleted',
        deleted: true,
      });
    },
  ],
];

describe.each(Object.entries(sdks))('%s', (_name, sdk) => {
  it.each(scripts)('%s', (_checks, script) => script(sdk, sdk.client()));
});

it('C2, C3: the SDK of another gateway reaches the same', async () => {
  const client: Client = new Portkey({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1` });
  const [id, threadId] = [await assistant(client), await thread(client, 'One two three')];
  const stream = await client.beta.threads.runs.create(threadId, { assistant_id: id, stream: true });
  const events: string[] = [];
  for await (const { event } of stream) events.push(event);
  expect(events.at(-1)).toBe('thread.run.completed');
  const { data, first_id: first } = await client.beta.threads.messages.list(threadId);
  expect(data[0].content[0].text.value).toBe('One two three');
  expect(first).toBe(data[0].id);
});
