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
  const answer = await app.rest(method, `/v1${path}`, { body, key });
  return { ...answer, body: answer.body as any };
};
const made = async (members: object = {}) =>
  (await call('POST', '/assistants', { model: '@mock/mock-1', ...members })).body;

const refusal = (param: string | null, code: string | null, status = 400) => ({
  status,
  body: { error: { message: expect.any(String), type: 'invalid_request_error', param, code } },
});
const missing = (message: string) => ({
  status: 404,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
});

const lookUp = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', $defs: { a: {} }, properties: {} } },
};

describe('an assistant', () => {
  it('has every member that programs read, with the values of the API where nothing was said', async () => {
    expect(await made()).toEqual({
      id: expect.stringMatching(/^asst_\w{24}$/),
      object: 'assistant',
      created_at: expect.any(Number),
      name: null,
      description: null,
      model: '@mock/mock-1',
      instructions: null,
      tools: [],
      tool_resources: null,
      metadata: {},
      temperature: null,
      top_p: null,
      response_format: 'auto',
      reasoning_effort: null,
    });
  });

  it('keeps what it is given, and reads it back', async () => {
    const { body: store } = await call('POST', '/vector_stores', {});
    const members = {
      name: 'Ada',
      description: 'Knows',
      instructions: 'x'.repeat(256_000),
      tools: [
        lookUp,
        { type: 'file_search', file_search: { max_num_results: 3 } },
        { type: 'code_interpreter' },
      ],
      tool_resources: { file_search: { vector_store_ids: [store.id] } },
      metadata: { team: 'search' },
      temperature: 0.5,
      top_p: 0.25,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
      reasoning_effort: 'low',
    };
    const created = await made(members);
    expect(created.error).toBeUndefined();
    const { id } = created;
    expect((await call('GET', `/assistants/${id}`)).body).toMatchObject(members);
  });

  it('is changed by members, and every version stays readable', async () => {
    const { id } = await made({ name: 'one', metadata: { a: '1' } });
    const changed = await call('POST', `/assistants/${id}`, { name: 'two', tools: [lookUp] });
    expect(changed.body).toMatchObject({ id, name: 'two', metadata: { a: '1' }, tools: [lookUp] });
    await call('POST', `/assistants/${id}`, { name: null });
    const { data } = await app.graphql(
      '{ assistantVersions(assistantId: "ID") { total data { version name } } }'.replace('ID', id),
      {},
      app.workspaceKey,
    );
    expect(data.assistantVersions).toEqual({
      total: 3,
      data: [
        { version: 3, name: null },
        { version: 2, name: 'two' },
        { version: 1, name: 'one' },
      ],
    });
  });

  it('is gone once it is deleted', async () => {
    const { id } = await made();
    const deleted = await call('DELETE', `/assistants/${id}`);
    expect(deleted.body).toEqual({ id, object: 'assistant.deleted', deleted: true });
    const gone = missing(`No assistant found with id '${id}'.`);
    expect(await call('GET', `/assistants/${id}`)).toMatchObject(gone);
    expect(await call('POST', `/assistants/${id}`, { name: 'x' })).toMatchObject(gone);
    expect(await call('DELETE', `/assistants/${id}`)).toMatchObject(gone);
  });

  it('is found by nobody else', async () => {
    const { id } = await made();
    const gone = missing(`No assistant found with id '${id}'.`);
    for (const [method, body] of [['GET'], ['POST', { name: 'mine' }], ['DELETE']] as const)
      expect(await call(method, `/assistants/${id}`, body, neighbour.workspaceKey)).toMatchObject(gone);
    expect((await call('GET', `/assistants/${id}`)).body).toMatchObject({ id, name: null });
    expect((await call('GET', '/assistants', undefined, neighbour.workspaceKey)).body.data).toEqual([]);
  });

  it('is made by nobody without a credential or its scope', async () => {
    expect((await call('POST', '/assistants', { model: 'm' }, null)).status).toBe(401);
    const reader = await makeKey(app, 'workspace-service', { only: ['completions.read'] });
    expect((await call('POST', '/assistants', { model: 'm' }, reader)).status).toBe(403);
    const { id } = await made();
    expect((await call('GET', `/assistants/${id}`, undefined, reader)).status).toBe(200);
    expect((await call('DELETE', `/assistants/${id}`, undefined, reader)).status).toBe(403);
  });
});

describe('what is too much or of the wrong kind is refused by name:', () => {
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
  it.each<[string, object, string, string]>([
    ['no model', { model: undefined }, 'model', 'missing_required_parameter'],
    ['a long name', { name: 'x'.repeat(257) }, 'name', 'string_above_max_length'],
    ['a long description', { description: 'x'.repeat(513) }, 'description', 'string_above_max_length'],
    ['long instructions', { instructions: 'x'.repeat(256_001) }, 'instructions', 'string_above_max_length'],
    [
      '129 tools',
      { tools: Array(129).fill({ type: 'code_interpreter' }) },
      'tools',
      'array_above_max_length',
    ],
    ['an unknown tool', { tools: [{ type: 'browser' }] }, 'tools[0].type', 'invalid_value'],
    [
      'a function without a name',
      { tools: [{ type: 'function', function: {} }] },
      'tools[0].function.name',
      'missing_required_parameter',
    ],
    ['17 pairs', { metadata: pairs(17) }, 'metadata', 'invalid_value'],
    ['a long key', { metadata: { ['k'.repeat(65)]: 'v' } }, `metadata.${'k'.repeat(65)}`, 'invalid_value'],
    ['a long value', { metadata: { a: 'v'.repeat(513) } }, 'metadata.a', 'string_above_max_length'],
    ['a number as a value', { metadata: { a: 1 } }, 'metadata.a', 'invalid_type'],
    ['a hot temperature', { temperature: 2.1 }, 'temperature', 'integer_above_max_value'],
    ['a negative top_p', { top_p: -1 }, 'top_p', 'integer_below_min_value'],
    ['an unknown effort', { reasoning_effort: 'huge' }, 'reasoning_effort', 'invalid_value'],
    ['an unknown format', { response_format: 'yaml' }, 'response_format', 'invalid_value'],
    [
      'a schema without a name',
      { response_format: { type: 'json_schema', json_schema: {} } },
      'response_format.json_schema.name',
      'missing_required_parameter',
    ],
    [
      '21 files',
      { tool_resources: { code_interpreter: { file_ids: Array(21).fill('file-1') } } },
      'tool_resources.code_interpreter.file_ids',
      'array_above_max_length',
    ],
    [
      'a store to be made beside one that is named',
      { tool_resources: { file_search: { vector_store_ids: ['vs_1'], vector_stores: [{}] } } },
      'tool_resources.file_search.vector_stores',
      'invalid_value',
    ],
    ['an unknown member', { colour: 'red' }, 'colour', 'unknown_parameter'],
  ])('%s', async (_what, members, param, code) => {
    const body = { model: '@mock/mock-1', ...members };
    expect(await call('POST', '/assistants', body)).toMatchObject(refusal(param, code));
  });

  it('an id of another kind, or none', async () => {
    const { status, body } = await call('GET', '/assistants/undefined');
    expect([status, body.error.message]).toEqual([
      400,
      "Invalid 'assistant_id': 'undefined'. Expected an ID that begins with 'asst'.",
    ]);
  });
});

describe('a walk along the list', () => {
  let own: Tenant;
  const ids: string[] = [];
  beforeAll(async () => {
    own = await app.createTenant();
    for (let at = 0; at < 45; at++)
      ids.push((await call('POST', '/assistants', { model: 'm' }, own.workspaceKey)).body.id);
  });
  const page = async (query: string) =>
    (await call('GET', `/assistants?${query}`, undefined, own.workspaceKey)).body;
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

  it('has pages of twenty, the newest first', async () => {
    const newest = ids.toReversed();
    const first = await page('');
    expect(idsOf(first)).toEqual(newest.slice(0, 20));
    expect(first).toMatchObject({ object: 'list', first_id: newest[0], last_id: newest[19], has_more: true });
    const last = await page(`after=${newest[39]}`);
    expect([idsOf(last), last.has_more]).toEqual([newest.slice(40), false]);
    expect(idsOf(await page(`before=${newest[20]}&limit=5`))).toEqual(newest.slice(15, 20));
  });

  it('goes the other way, and back', async () => {
    expect(idsOf(await page('order=asc&limit=3'))).toEqual(ids.slice(0, 3));
    expect(idsOf(await page(`order=asc&after=${ids[2]}&limit=2`))).toEqual(ids.slice(3, 5));
    expect(idsOf(await page(`order=asc&before=${ids[10]}&limit=2`))).toEqual(ids.slice(8, 10));
  });

  it('goes on behind what was deleted meanwhile', async () => {
    await call('DELETE', `/assistants/${ids[30]}`, undefined, own.workspaceKey);
    expect(idsOf(await page(`order=asc&after=${ids[30]}&limit=2`))).toEqual(ids.slice(31, 33));
  });

  it('refuses a page of none or too many, an unknown order, and a place that never was', async () => {
    const refused = async (query: string) => (await page(query)).error;
    expect(await refused('limit=0')).toMatchObject({ param: 'limit', code: 'integer_below_min_value' });
    expect(await refused('limit=101')).toMatchObject({ param: 'limit', code: 'integer_above_max_value' });
    expect(await refused('order=bogus')).toMatchObject({ param: 'order', code: 'invalid_value' });
    expect(await refused('after=asst_no')).toMatchObject({ param: 'after' });
  });
});
