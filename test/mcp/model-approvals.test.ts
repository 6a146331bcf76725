import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bodyOf } from '../rest-compat/support.ts';
import { json } from '../support/provider.ts';
import {
  eventsOf,
  functionItem,
  type ModelWorld,
  messageItem,
  responseOf,
  responseStream,
  startModelWorld,
  words,
} from './model-world.ts';

jest.setTimeout(120_000);

type Json = Record<string, any>;

let world: ModelWorld;
beforeAll(async () => {
  world = await startModelWorld();
});
afterAll(() => world.stop());

const asking = words({ require_approval: { always: { tool_names: ['delete'] } } });
const user = { role: 'user', content: 'delete it' };
const ask = (input: unknown, more: Json = {}, key?: string) =>
  world.ask('/v1/responses', { input, tools: [asking], ...more }, key);
const verdict = (id: string, approve: boolean, more: Json = {}) => ({
  ...{ type: 'mcp_approval_response', approval_request_id: id, approve, ...more },
});
const deleteCall = functionItem('call_1', 'words__delete', { word: 'fox' });

/** Output of a response in which the model wants to delete something. */
async function requested(...calls: Json[]): Promise<Json[]> {
  world.provider.play(json(200, responseOf([...calls, deleteCall])));
  const answer = await ask([user]);
  expect(answer.status).toBe(200);
  return answer.json.output;
}

const requestIn = (output: Json[]): Json => output.find(({ type }) => type === 'mcp_approval_request') ?? {};

describe('check 35: a call that needs approval', () => {
  it('is asked for and not made, and ends the response', async () => {
    const before = world.reached().length;
    const output = await requested();
    expect(output.slice(1)).toEqual([
      {
        ...{ type: 'mcp_approval_request', id: expect.stringMatching(/^mcpr_/), name: 'delete' },
        ...{ server_label: '@gateway-mcp/words', arguments: '{"word":"fox"}' },
      },
    ]);
    expect(world.sent()).toHaveLength(1);
    expect(world.reached()).toHaveLength(before);
  });

  it('is made once it is approved, by items that come back, and once alone', async () => {
    const output = await requested();
    const { id } = requestIn(output);
    const before = world.reached().length;
    world.provider.play(json(200, responseOf([messageItem('Done.')])));
    const { json: approved } = await ask([user, ...output, verdict(id, true)]);
    expect(world.reached().slice(before)).toEqual([{ word: 'fox' }]);
    expect(approved.output.slice(1)).toMatchObject([
      { type: 'mcp_call', approval_request_id: id, output: 'delete of fox', status: 'completed' },
      { type: 'message' },
    ]);
    expect(world.sent()[0]?.input).toMatchObject([
      user,
      { type: 'function_call', call_id: 'call_1', name: 'words__delete', arguments: '{"word":"fox"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'delete of fox' },
    ]);
    world.provider.play(json(200, responseOf([messageItem('Yes.')])));
    await ask([user, ...output, verdict(id, true), ...approved.output, { role: 'user', content: 'sure?' }]);
    expect(world.reached()).toHaveLength(before + 1);
    expect(world.sent()[0]?.input.map(({ type, role }: Json) => type ?? role)).toEqual([
      ...['user', 'function_call', 'function_call_output', 'message', 'user'],
    ]);
  });

  it('is made for a response that is kept elsewhere, too', async () => {
    const { id } = requestIn(await requested());
    world.provider.play(json(200, responseOf([messageItem('Done.')])));
    await ask([verdict(id, true)], { previous_response_id: 'resp_1' });
    expect(world.sent()[0]?.input).toEqual([
      { type: 'function_call_output', call_id: 'call_1', output: 'delete of fox' },
    ]);
  });

  it('is made for a response that the gateway keeps, too', async () => {
    const kept = (body: Json) =>
      world.call({
        path: '/v1/responses',
        body: { model: `@${world.slug}/gpt-test`, tools: [asking], store: true, ...body },
      });
    world.provider.play(responseStream(responseOf([deleteCall])));
    const { json: first } = await kept({ input: [user] });
    const { id } = requestIn(first.output);
    const before = world.reached().length;
    world.provider.play(responseStream(responseOf([messageItem('Done.')])));
    const { json: second } = await kept({ input: [verdict(id, true)], previous_response_id: first.id });
    expect(world.reached()).toHaveLength(before + 1);
    expect(second.output).toMatchObject([
      { type: 'mcp_list_tools' },
      { type: 'mcp_call', output: 'delete of fox', approval_request_id: id },
      { type: 'message' },
    ]);
    const read = await world.app.rest('GET', `/v1/responses/${second.id}`, { key: world.app.workspaceKey });
    expect((read.body as Json).output).toEqual(second.output);
    // It is known as made, also where the next request repeats the verdict.
    world.provider.play(responseStream(responseOf([messageItem('Yes.')])));
    const again = { input: [verdict(id, true)], previous_response_id: second.id, stream: true };
    const told = eventsOf((await kept(again)).text);
    expect(told.at(-1)).toMatchObject({ type: 'response.completed' });
    expect(world.reached()).toHaveLength(before + 1);
  });

  it('is named on the stream of a response that is kept, by the id of the request', async () => {
    const kept = (body: Json) =>
      world.call({
        path: '/v1/responses',
        body: { model: `@${world.slug}/gpt-test`, tools: [asking], store: true, stream: true, ...body },
      });
    world.provider.play(responseStream(responseOf([deleteCall])));
    const first = eventsOf((await kept({ input: [user] })).text).at(-1)?.response;
    const { id } = requestIn(first.output);
    world.provider.play(responseStream(responseOf([messageItem('Done.')])));
    const told = eventsOf((await kept({ input: [verdict(id, true)], previous_response_id: first.id })).text);
    const items = told.flatMap(({ item }) => (item?.type === 'mcp_call' ? [item.approval_request_id] : []));
    expect(new Set(items)).toEqual(new Set([id]));
  });

  it('is not made where it is refused, and the model hears why', async () => {
    const output = await requested();
    const before = world.reached().length;
    world.provider.play(json(200, responseOf([messageItem('Then not.')])));
    const { json: refused } = await ask([
      user,
      ...output,
      verdict(requestIn(output).id, false, { reason: 'too risky' }),
    ]);
    expect(world.reached()).toHaveLength(before);
    expect(refused.output.map(({ type }: Json) => type)).toEqual(['mcp_list_tools', 'message']);
    expect(world.sent()[0]?.input.at(-1).output).toContain('too risky');
  });

  it('has others of its turn wait with it', async () => {
    const before = world.reached().length;
    const output = await requested(functionItem('call_0', 'words__look_up', { word: 'wolf' }));
    expect(output.map(({ type }) => type)).toEqual(['mcp_list_tools', 'mcp_approval_request']);
    expect(world.reached()).toHaveLength(before);
    world.provider.play(json(200, responseOf([messageItem('Done.')])));
    const { json: approved } = await ask([user, ...output, verdict(requestIn(output).id, true)]);
    expect(world.reached().slice(before)).toEqual(
      expect.arrayContaining([{ word: 'fox' }, { word: 'wolf' }]),
    );
    expect(approved.output.filter(({ type }: Json) => type === 'mcp_call')).toHaveLength(2);
  });

  it.each<[string, (id: string) => Json, string]>([
    [
      'changed',
      (id) => verdict(`${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`, true),
      'approval_request_id',
    ],
    ['undecided', (id) => ({ ...verdict(id, true), approve: 'yes' }), 'approve'],
  ])('takes no verdict that is %s', async (_name, wrong, member) => {
    const { id } = requestIn(await requested());
    const before = world.reached().length;
    const answer = await ask([user, wrong(id)]);
    expect(answer).toMatchObject({ status: 400, json: { error: { param: `input.1.${member}` } } });
    expect(world.reached()).toHaveLength(before);
  });

  it('takes no verdict of anybody else', async () => {
    const { id } = requestIn(await requested());
    const { app } = world;
    const other = bodyOf(
      await app.rest('POST', '/v1/api-keys/workspace/service', {
        ...{ key: app.adminKey },
        body: { name: 'other', workspace_id: app.workspaceId, scopes: ['completions.write', 'mcp.invoke'] },
      }),
    );
    expect(await ask([user, verdict(id, true)], {}, other.key)).toMatchObject({ status: 400 });
  });

  it('is asked for and made on streams as well', async () => {
    world.provider.play(responseStream(responseOf([deleteCall])));
    const told = eventsOf((await ask([user], { stream: true })).text);
    const { response } = told.at(-1) ?? {};
    const request = requestIn(response.output);
    expect(told.slice(-3).map(({ type }) => type)).toEqual([
      ...['response.output_item.added', 'response.output_item.done', 'response.completed'],
    ]);
    world.provider.play(responseStream(responseOf([messageItem('Done.')])));
    const { text } = await ask([user, ...response.output, verdict(request.id, true)], { stream: true });
    const items = eventsOf(text).filter(({ type }) => type === 'response.output_item.done');
    expect(items.map(({ item }) => item.type)).toEqual(['mcp_list_tools', 'mcp_call', 'message']);
    expect(items[1]?.item).toMatchObject({ approval_request_id: request.id, output: 'delete of fox' });
  });

  it.each<[string, unknown, boolean]>([
    ['always', 'always', true],
    ['never', 'never', false],
    ['a list of what never does', { never: { tool_names: ['look.up'] } }, true],
    ['a list that it is not in', { always: { read_only: true } }, false],
    [
      'lists of both kinds that it is in',
      { always: { tool_names: ['delete'] }, never: { tool_names: ['delete'] } },
      true,
    ],
    [
      'lists of both kinds that it is not in',
      { always: { read_only: true }, never: { tool_names: ['look.up'] } },
      true,
    ],
  ])('is so by %s', async (_name, approval, isAsked) => {
    world.provider.play(json(200, responseOf([deleteCall])), json(200, responseOf([messageItem('Done.')])));
    const { json: answer } = await ask([user], { tools: [words({ require_approval: approval })] });
    expect(answer.output.some(({ type }: Json) => type === 'mcp_approval_request')).toBe(isAsked);
  });

  it.each([7, {}, { sometimes: {} }, { always: 7 }])('is not so by %j', async (approval) => {
    const answer = await ask([user], { tools: [words({ require_approval: approval })] });
    expect(answer.status).toBe(400);
    expect(answer.json.error.param).toMatch(/^tools\.0\.require_approval/);
  });
});

describe('a tool of which the organisation wants each call approved', () => {
  const force = (mcpForceApproval: string[]) =>
    world.app.graphql(
      `mutation ($input: UpdateOrganisationSettingsInput!) {
        updateOrganisationSettings(input: $input) { settings { mcpForceApproval } }
      }`,
      { input: { mcpForceApproval } },
      world.app.adminKey,
    );
  afterAll(() => force([]));

  const isAsked = async (): Promise<boolean> => {
    world.provider.play(json(200, responseOf([deleteCall])), json(200, responseOf([messageItem('Done.')])));
    const { json: answer } = await ask([user], { tools: [words({ require_approval: 'never' })] });
    return answer.output.some(({ type }: Json) => type === 'mcp_approval_request');
  };

  it.each([
    ['words/delete', true],
    ['words/*', true],
    ['*/delete', true],
    ['words/look.up', false],
    ['other/delete', false],
  ])('waits whatever the request says: %s', async (name, isForced) => {
    const { data } = await force([name]);
    expect(data).toEqual({ updateOrganisationSettings: { settings: { mcpForceApproval: [name] } } });
    expect(await isAsked()).toBe(isForced);
  });

  it('is not offered where nobody could be asked, and its neighbours are', async () => {
    await force(['words/delete']);
    const said = { role: 'assistant', content: 'Done.' };
    world.provider.play(json(200, { choices: [{ index: 0, message: said, finish_reason: 'stop' }] }));
    const messages = [user];
    const chat = await world.ask('/v1/chat/completions', { messages, tools: [words()] });
    expect(chat.status).toBe(200);
    const names = world.sent()[0]?.tools.map((tool: Json) => tool.function.name);
    expect(names).toEqual(['words__look_up']);
  });

  it.each([['delete'], ['words/'], ['/delete'], ['a b/delete']])('is not named by %s', async (name) => {
    await force(['words/delete']);
    const { errors } = await force(['words/look.up', name]);
    expect(errors?.[0]?.extensions).toMatchObject({
      ...{ code: 'VALIDATION_FAILED', param: expect.stringMatching(/^input\.mcpForceApproval/) },
    });
    expect(await isAsked()).toBe(true);
  });
});
