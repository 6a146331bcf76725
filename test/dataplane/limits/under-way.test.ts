import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { bodyOf } from '../../rest-compat/support.ts';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, json } from '../../support/provider.ts';
import { messages, startWorld, until, type World } from '../../support/world.ts';
import { allSettled } from './limited.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => allSettled(world));
afterAll(() => world.stop());

const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const ok = json(200, chatAnswer('hello', usage));

const admin = async (method: string, path: string, body?: unknown) =>
  bodyOf(await world.app.rest(method, `/v1${path}`, { key: world.app.adminKey, body }));
const newKey = (members: object = {}): Promise<{ id: string; key: string }> =>
  admin('POST', '/api-keys/workspace/service', {
    ...{ name: 'caller', workspace_id: world.app.workspaceId, scopes: ['completions.write'] },
    ...members,
  });
const tokens = (credit_limit: number, more: object = {}) => ({
  type: 'tokens',
  credit_limit,
  wait_ms: 0,
  ...more,
});
const call = (key: string, max_tokens = 1500) =>
  world.call({ key, body: { model: `@${world.slug}/gpt-4o`, messages, max_tokens } });

/** A call that the provider answers once it is let go. */
async function callUnderWay(key: string) {
  let release = () => {};
  world.provider.play(async (request, response, raw) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await ok(request, response, raw);
  }, ok);
  const before = world.provider.requests.length;
  const answer = call(key);
  const refused = answer.then(({ status, json: body }) => {
    throw new Error(`The call was answered before it was let go: ${status} ${JSON.stringify(body)}`);
  });
  await Promise.race([until(() => world.provider.requests.length > before), refused]);
  return { answer, release: () => release() };
}

it('a reset while a call runs lets it count after the reset', async () => {
  const { id, key } = await newKey({ usage_limits: tokens(2000) });
  world.provider.play(ok);
  expect((await call(key)).status).toBe(200);
  const used = (current_usage: number) =>
    eventually(async () =>
      expect(await admin('GET', `/api-keys/${id}`)).toMatchObject({ usage_limits: { current_usage } }),
    );
  await used(8);
  const running = await callUnderWay(key);
  await admin('PUT', `/api-keys/${id}`, { reset_usage: true });
  await used(0);
  running.release();
  expect((await running.answer).status).toBe(200);
  await used(8);
});

it('an amount that is lowered below what is held ends no call, and admits none', async () => {
  const { id, key } = await newKey({ usage_limits: tokens(5000) });
  const running = await callUnderWay(key);
  await admin('PUT', `/api-keys/${id}`, { usage_limits: tokens(300) });
  const refused = await call(key, 100);
  expect(refused).toMatchObject({ status: 412, json: { limit: { value: 300 } } });
  running.release();
  expect((await running.answer).status).toBe(200);
  await eventually(async () =>
    expect(await call(key, 10)).toMatchObject({ status: 200, json: { object: 'chat.completion' } }),
  );
  await admin('PUT', `/api-keys/${id}`, { usage_limits: tokens(5000) });
  await eventually(async () => expect((await call(key)).status).toBe(200));
});

it('a policy that is archived while calls wait keeps none of them waiting for ever', async () => {
  const { id, key } = await newKey();
  const policy = await admin('POST', '/policies/usage-limits', {
    conditions: [{ key: 'api_key', value: id }],
    group_by: [{ key: 'api_key' }],
    workspace_id: world.app.workspaceId,
    ...tokens(2000, { wait_ms: 20_000 }),
  });
  const running = await callUnderWay(key);
  const before = world.provider.requests.length;
  const waiting = Array.from({ length: 5 }, () => call(key));
  await admin('DELETE', `/policies/usage-limits/${policy.id}`);
  expect((await call(key)).status).toBe(200);
  expect(world.provider.requests.length).toBe(before + 1);
  running.release();
  for (const answer of [running.answer, ...waiting]) expect((await answer).status).toBe(200);
});
