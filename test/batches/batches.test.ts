import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { makeKey } from '../subgraphs/support.ts';
import type { Tenant } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { chatAnswer, json } from '../support/provider.ts';
import { someRecordsOf } from '../support/records.ts';
import { startWorld, type World } from '../support/world.ts';

const ENDED = ['completed', 'failed', 'cancelled', 'expired'];

let world: World;
let neighbour: Tenant;
let client: OpenAI;
let hours = 0;
/** Answers of the provider wait for it. */
let gate: Promise<void> = Promise.resolve();
let openGate: () => void = () => undefined;
beforeAll(async () => {
  world = await startWorld({ BATCH_CALLS_AT_ONCE: '3' }, undefined, () => {
    return new Date(Date.now() + hours * 3_600_000);
  });
  neighbour = await world.app.createTenant();
  client = clientOf(world.app.workspaceKey);
});
afterAll(() => world.stop());
afterEach(() => {
  hours = 0;
  openGate();
});

const clientOf = (apiKey: string, headers = {}) =>
  new OpenAI({ apiKey, baseURL: `${world.app.url}/v1`, maxRetries: 0, defaultHeaders: headers });

const line = (id: string, words = id, more: object = {}) => ({
  custom_id: id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: '@mock/mock-1', messages: [{ role: 'user', content: words }] },
  ...more,
});
const jsonLines = (lines: (object | string)[]) =>
  lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n');

async function begin(lines: (object | string)[], using = client, more: object = {}) {
  const file = await toFile(Buffer.from(jsonLines(lines)), 'in.jsonl');
  const { id } = await using.files.create({ file, purpose: 'batch' });
  return using.batches.create({
    ...{ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
    ...more,
  });
}

const until = (id: string, statuses: string[], using = client) =>
  eventually(async () => {
    const batch = await using.batches.retrieve(id);
    expect(statuses).toContain(batch.status);
    return batch;
  });

const rowsOf = async (id: string | null | undefined, using = client): Promise<any[]> =>
  (await (await using.files.content(id ?? '')).text())
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));

/** Lets the provider answer no call until `openGate`. */
function closeGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  openGate = resolve;
  const script = async (request: never, response: never, raw: never) => {
    await gate;
    return json(200, chatAnswer('done'))(request, response, raw);
  };
  world.provider.play(...Array.from({ length: 200 }, () => script as never));
}
const slow = (id: string) =>
  line(id, id, { body: { model: `@${world.slug}/m`, messages: [{ role: 'user', content: id }] } });
const asked = () =>
  world.provider.requests.map(({ body }) => JSON.parse(body.toString()).messages[0].content as string);

describe('a batch', () => {
  it('makes the call of each line, and its answers become files in the order of the lines', async () => {
    const lines = Array.from({ length: 25 }, (_, at) =>
      line(`line-${at}`, at === 7 ? '/fail 400' : `Say ${at}`),
    );
    const made = await begin(lines, client, { metadata: { team: 'search' } });
    expect(made).toMatchObject({
      ...{ object: 'batch', endpoint: '/v1/chat/completions', completion_window: '24h', errors: null },
      ...{ status: 'validating', metadata: { team: 'search' }, output_file_id: null },
      expires_at: made.created_at + 86_400,
    });
    const batch = await until(made.id, ENDED);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 25, completed: 24, failed: 1 },
      errors: null,
    });
    expect(batch.usage?.output_tokens).toBeGreaterThan(0);
    const rows = await rowsOf(batch.output_file_id);
    expect(rows.map(({ custom_id }) => custom_id)).toEqual(
      lines.map(({ custom_id }) => custom_id).filter((id) => id !== 'line-7'),
    );
    expect(rows[3]).toMatchObject({
      id: expect.stringMatching(/^batch_req_/),
      response: { status_code: 200, body: { choices: [{ message: { content: 'Say 3' } }] } },
      error: null,
    });
    expect(await rowsOf(batch.error_file_id)).toMatchObject([
      { custom_id: 'line-7', response: { status_code: 400, body: { error: {} } } },
    ]);
    const output = await fetch(`${world.app.url}/v1/batches/${batch.id}/output`, {
      headers: { authorization: `Bearer ${world.app.workspaceKey}` },
    });
    expect((await output.text()).trim().split('\n')).toHaveLength(24);
    expect((await client.batches.list()).data[0]?.id).toBe(batch.id);
    // Its calls are in the log as one trace, each with its line.
    const records = await someRecordsOf(world.app, { traceId: batch.id });
    expect(records).toHaveLength(25);
    expect(records.map(({ metadata }: any) => metadata._custom_id).sort()).toContain('line-7');
    expect(await world.app.db.collection('batch_lines').countDocuments()).toBe(0);
  });

  it.each<[string, (object | string)[], object]>([
    ['no JSON', [line('a'), 'nonsense'], { code: 'invalid_json_line', line: 2 }],
    ['the same custom_id twice', [line('a'), '', line('a')], { code: 'duplicate_custom_id', line: 3 }],
    ['another path', [line('a', 'a', { url: '/v1/embeddings' })], { code: 'invalid_request', param: 'url' }],
    [
      'a stream',
      [line('a', 'a', { body: { stream: true } })],
      { code: 'invalid_request', param: 'body.stream' },
    ],
    ['no custom_id', [line('')], { code: 'invalid_request', param: 'custom_id', line: 1 }],
    ['nothing', ['', ''], { code: 'empty_file', line: null }],
  ])('whose input has %s fails before any call, and says where', async (_what, lines, problem) => {
    world.provider.requests.length = 0;
    const batch = await until((await begin(lines)).id, ENDED);
    expect(batch).toMatchObject({ status: 'failed', request_counts: { total: 0 }, output_file_id: null });
    expect(batch.failed_at).toBeGreaterThan(0);
    expect(batch.errors).toMatchObject({ object: 'list', data: [problem] });
  });

  it('says what its calls have cost together, once they are all in the log', async () => {
    // At 2.5 and 10 dollars a million tokens: 0.35 cents a call.
    const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
    const answer = json(200, chatAnswer('done', usage));
    world.provider.play(answer, answer, answer, answer);
    const priced = ['a', 'b', 'c', 'd'].map((id) =>
      line(id, id, { body: { model: `@${world.slug}/gpt-4o`, messages: [{ role: 'user', content: id }] } }),
    );
    const made = await begin(priced);
    expect(made).toMatchObject({ cost: null });
    await until(made.id, ['completed']);
    await eventually(async () => expect(await client.batches.retrieve(made.id)).toMatchObject({ cost: 1.4 }));
    const query = `{ batch(id: "${made.id}") { cost } }`;
    expect((await world.app.graphql(query, {}, world.app.workspaceKey)).data.batch).toEqual({ cost: 1.4 });
    const reader = await makeKey(world.app, 'workspace-service', { only: ['completions.read'] });
    expect(await clientOf(reader).batches.retrieve(made.id)).toMatchObject({ cost: 1.4 });
    const stored = () => world.app.db.collection<{ _id: string }>('batches').findOne({ _id: made.id });
    expect(await stored()).not.toHaveProperty('costNanodollars');
    hours = 1;
    expect(await client.batches.retrieve(made.id)).toMatchObject({ cost: 1.4 });
    expect(await stored()).toHaveProperty('costNanodollars', 14_000_000);
  });

  it('of calls that have no price has no cost', async () => {
    const { id } = await begin([line('free')]);
    await until(id, ['completed']);
    hours = 1;
    expect(await client.batches.retrieve(id)).toMatchObject({ cost: null });
  });

  it('comes under guardrails and limits as any call, by the config of whoever made it', async () => {
    const config = {
      input_guardrails: [{ 'default.contains': { operator: 'none', words: ['forbidden'] }, deny: true }],
    };
    const using = clientOf(world.app.workspaceKey, {
      'x-gateway-provider': 'gateway',
      'x-gateway-config': JSON.stringify(config),
    });
    const { id } = await begin([line('good'), line('bad', 'a forbidden word')], using);
    const batch = await until(id, ENDED);
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
    expect(await rowsOf(batch.error_file_id)).toMatchObject([
      { custom_id: 'bad', response: { status_code: 446 } },
    ]);
  });

  it('is stopped: calls that were begun end, no others begin, and what was done is kept', async () => {
    closeGate();
    world.provider.requests.length = 0;
    const { id } = await begin(Array.from({ length: 20 }, (_, at) => slow(`c-${at}`)));
    await eventually(async () => expect(world.provider.requests.length).toBe(3));
    expect(await client.batches.cancel(id)).toMatchObject({ status: 'cancelling' });
    openGate();
    const batch = await until(id, ENDED);
    expect(batch).toMatchObject({
      status: 'cancelled',
      request_counts: { total: 20, completed: 3, failed: 0 },
    });
    expect((await rowsOf(batch.output_file_id)).map(({ custom_id }) => custom_id)).toEqual([
      'c-0',
      'c-1',
      'c-2',
    ]);
    expect(world.provider.requests).toHaveLength(3);
    await expect(client.batches.cancel(id)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("Cannot cancel a batch with status 'cancelled'."),
    });
  });

  it('whose time is over keeps what was done, and says of the other lines that they were not begun', async () => {
    closeGate();
    world.provider.requests.length = 0;
    const { id } = await begin(Array.from({ length: 5 }, (_, at) => slow(`e-${at}`)));
    await eventually(async () => expect(world.provider.requests.length).toBe(3));
    hours = 25;
    openGate();
    const batch = await until(id, ENDED);
    expect(batch).toMatchObject({
      status: 'expired',
      request_counts: { total: 5, completed: 3, failed: 0 },
    });
    expect(await rowsOf(batch.error_file_id)).toMatchObject([
      { custom_id: 'e-3', response: null, error: { code: 'batch_expired' } },
      { custom_id: 'e-4', response: null, error: { code: 'batch_expired' } },
    ]);
  });

  it('of one workspace does not wait for the many lines of another', async () => {
    closeGate();
    world.provider.requests.length = 0;
    const theirs = clientOf(neighbour.workspaceKey);
    const first = await begin(Array.from({ length: 40 }, (_, at) => slow(`many-${at}`)));
    await eventually(async () => expect(world.provider.requests.length).toBe(3));
    const few = ['few-0', 'few-1', 'few-2'].map((id) => line(id));
    const second = await begin(few, theirs);
    openGate();
    expect((await until(second.id, ENDED, theirs)).request_counts?.completed).toBe(3);
    expect((await until(first.id, ENDED)).request_counts?.completed).toBe(40);
    const [one, other] = [await client.batches.retrieve(first.id), await theirs.batches.retrieve(second.id)];
    expect(other.completed_at ?? Infinity).toBeLessThanOrEqual(one.completed_at ?? 0);
    expect(new Set(asked()).size).toBe(asked().length);
  });
});

describe('who may', () => {
  it('is told by name what a batch cannot take', async () => {
    const file = await toFile(Buffer.from('x'), 'x.txt');
    const { id } = await client.files.create({ file, purpose: 'assistants' });
    const create = (more: object) =>
      client.batches.create({
        ...{ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
        ...more,
      });
    const refused = { status: 400, type: 'invalid_request_error' };
    await expect(create({})).rejects.toMatchObject({ ...refused, param: 'input_file_id' });
    await expect(create({ endpoint: '/v1/images' })).rejects.toMatchObject({ ...refused, param: 'endpoint' });
    await expect(create({ completion_window: '1h' })).rejects.toMatchObject({
      ...refused,
      param: 'completion_window',
    });
    await expect(create({ input_file_id: 'file-none' })).rejects.toMatchObject({ status: 404 });
    await expect(client.batches.retrieve('undefined')).rejects.toMatchObject({ status: 400 });
    await expect(client.batches.retrieve('batch_none')).rejects.toMatchObject({ status: 404 });
  });

  it('nobody without the scope, and no other tenant', async () => {
    const batch = await until((await begin([line('a')])).id, ENDED);
    const count = () => world.app.db.collection('batches').countDocuments();
    const before = await count();
    const reader = clientOf(await makeKey(world.app, 'workspace-service', { only: ['completions.read'] }));
    expect((await reader.batches.retrieve(batch.id)).status).toBe('completed');
    await expect(reader.batches.cancel(batch.id)).rejects.toMatchObject({ status: 403 });
    const input = { input_file_id: batch.input_file_id, endpoint: '/v1/chat/completions' as const };
    await expect(reader.batches.create({ ...input, completion_window: '24h' })).rejects.toMatchObject({
      status: 403,
    });
    const theirs = clientOf(neighbour.workspaceKey);
    await expect(theirs.batches.create({ ...input, completion_window: '24h' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(theirs.batches.retrieve(batch.id)).rejects.toMatchObject({ status: 404 });
    await expect(theirs.batches.cancel(batch.id)).rejects.toMatchObject({ status: 404 });
    expect((await theirs.batches.list()).data.map(({ id }) => id)).not.toContain(batch.id);
    expect((await world.app.rest('GET', `/v1/batches/${batch.id}`, { key: null })).status).toBe(401);
    expect((await world.app.rest('GET', `/v1/batches/${batch.id}/output`, { key: null })).status).toBe(401);
    const answer = await world.app.rest('GET', `/v1/batches/${batch.id}/output`, {
      key: neighbour.workspaceKey,
    });
    expect(answer.status).toBe(404);
    expect(await count()).toBe(before);
  });
});
