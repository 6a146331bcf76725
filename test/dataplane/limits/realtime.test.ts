import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.ts';
import { type RealtimeProvider, startRealtimeProvider } from '../../support/realtime-provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { allSettled, countersOf, keyWith, openReservations } from './limited.ts';

let world: World;
let provider: RealtimeProvider;
let slug: string;

beforeAll(async () => {
  [world, provider] = await Promise.all([startWorld(), startRealtimeProvider()]);
  slug = await world.makeProvider({ configurations: { custom_host: provider.url } });
});
afterAll(async () => {
  await provider.stop();
  await world.stop();
});

const connect = (key: string, to = slug) =>
  new WebSocket(`${world.app.url.replace('http', 'ws')}/v1/realtime?model=@${to}/gpt-realtime`, {
    headers: { 'x-gateway-api-key': key },
  });

/** Both ends of a session through the gateway, the greeting read. */
async function session(key: string) {
  const opened = provider.session();
  const caller = connect(key);
  const greeting = once(caller, 'message');
  const [end] = await Promise.all([opened, once(caller, 'open')]);
  await greeting;
  return { caller, provider: end.socket };
}

const admin = async (method: string, path: string, body: object) => {
  const answer = await world.app.rest(method, `/v1${path}`, { key: world.app.adminKey, body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as { id: string };
};
const without = (word: string) => ({
  id: 'default.contains',
  parameters: { words: [word], operator: 'none' },
});
/** Guardrails of the organisation for all calls; new sessions know of them at once. */
const enforce = (output_guardrails: string[], input_guardrails: string[] = []) =>
  admin('PUT', '/admin/organisation/defaults', { input_guardrails, output_guardrails });

/** The answer to an opening that is refused. */
function refused(socket: WebSocket): Promise<{ status: number; json: any }> {
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', async (_request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    socket.on('open', () => reject(new Error('The session was opened.')));
    socket.on('error', reject);
  });
}

const usage = (input: number, output: number) => ({
  total_tokens: input + output,
  input_tokens: input,
  output_tokens: output,
  input_token_details: { text_tokens: input, audio_tokens: 0, cached_tokens: 0 },
});

describe('a session of a key with limits', () => {
  const limited = (creditLimit: number) => keyWith(world, { usage: [{ type: 'tokens', creditLimit }] });
  const done = (input: number, output: number) =>
    JSON.stringify({ type: 'response.done', response: { usage: usage(input, output) } });

  test('is counted by what its answers report', async () => {
    const { id, key } = await limited(100_000);
    const { caller, provider } = await session(key);
    expect(await openReservations(world)).toBe(1);
    provider.send(done(100, 50));
    await once(caller, 'message');
    caller.close(1000);
    await once(caller, 'close');
    await allSettled(world);
    await eventually(async () => expect((await countersOf(world, id))['usage:tokens']?.fill).toBe(150));
  });

  test('ends when its budget is used up, and says so', async () => {
    const { id, key } = await limited(20_000);
    const { caller, provider } = await session(key);
    const events: any[] = [];
    caller.on('message', (data) => events.push(JSON.parse(String(data))));
    const closed = once(caller, 'close');
    provider.send(done(14_000, 1000));
    expect((await closed)[0]).toBe(1008);
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'budget_exceeded' },
      limit: { level: 'api_key', unit: 'tokens', value: 20_000 },
    });
    await allSettled(world);
    await eventually(async () => expect((await countersOf(world, id))['usage:tokens']?.fill).toBe(15_000));
  });

  test('is counted though a guardrail takes its answers away', async () => {
    const { id, key } = await limited(100_000);
    const denial = { name: 'No evil', checks: [without('evil')], actions: { deny: true } };
    await enforce([(await admin('POST', '/org-guardrails', denial)).id]);
    const { caller, provider } = await session(key);
    const events: any[] = [];
    caller.on('message', (data) => events.push(JSON.parse(String(data))));
    const text = { type: 'output_text', text: 'an evil word' };
    const item = { id: 'item_1', type: 'message', role: 'assistant', status: 'completed', content: [text] };
    const response = { id: 'resp_1', status: 'completed', output: [item], usage: usage(100, 50) };
    provider.send(JSON.stringify({ type: 'response.done', response }));
    await eventually(async () => expect(events.map(({ type }) => type)).toContain('error'));
    expect(JSON.stringify(events)).not.toContain('evil word');
    caller.close(1000);
    await once(caller, 'close');
    await enforce([]);
    await allSettled(world);
    await eventually(async () => expect((await countersOf(world, id))['usage:tokens']?.fill).toBe(150));
  });

  test('holds nothing where a guardrail refuses it', async () => {
    const { id, key } = await limited(100_000);
    const models = { id: 'default.modelWhitelist', parameters: { models: ['gpt-4o'] } };
    const denial = { name: 'Known models', checks: [models], actions: { deny: true } };
    const { id: guardrailId } = await admin('POST', '/org-guardrails', denial);
    await enforce([], [guardrailId]);
    expect((await refused(connect(key))).status).toBe(446);
    await enforce([]);
    await allSettled(world);
    await eventually(async () => expect((await countersOf(world, id))['usage:tokens']?.fill ?? 0).toBe(0));
  });

  test('is not opened where its budget cannot pay a minute', async () => {
    const { key } = await limited(1000);
    const before = provider.opened();
    const { status, json } = await refused(connect(key));
    expect([status, json.limit.level]).toEqual([412, 'api_key']);
    expect(provider.opened()).toBe(before);
    expect(await openReservations(world)).toBe(0);
  });

  test('costs nothing where the provider opens none', async () => {
    const { id, key } = await limited(100_000);
    const unreachable = await world.makeProvider({
      configurations: { custom_host: 'http://127.0.0.1:9/v1' },
    });
    const { status } = await refused(connect(key, unreachable));
    expect(status).toBeGreaterThanOrEqual(500);
    await allSettled(world);
    await eventually(async () => expect((await countersOf(world, id))['usage:tokens']?.fill).toBe(0));
  });

  const begun = JSON.stringify({ type: 'response.created', response: { id: 'resp_1' } });
  const leaving: [string, (caller: WebSocket, provider: WebSocket) => void][] = [
    ['whose caller leaves', (caller) => caller.terminate()],
    ['whose caller says goodbye', (caller) => caller.close(1000)],
    ['whose provider breaks off', (_caller, provider) => provider.terminate()],
  ];

  test.each(leaving)('%s in the middle of an answer counts how far it can have come', async (_who, leave) => {
    const { id, key } = await limited(100_000);
    const { caller, provider } = await session(key);
    caller.on('error', () => undefined);
    provider.send(done(100, 50));
    await once(caller, 'message');
    provider.send(begun);
    await once(caller, 'message');
    leave(caller, provider);
    await allSettled(world);
    await eventually(async () => {
      const counter = (await countersOf(world, id))['usage:tokens'];
      // What was reported, the same once more as the context of the next answer, and two seconds of writing at least.
      expect(counter?.fill).toBeGreaterThan(300 + 1000);
      expect(counter?.fill).toBeLessThanOrEqual(12_000);
      expect(counter?.uncertain).toBeGreaterThan(0);
    });
  });

  test.each(leaving)('%s between answers counts what was reported', async (_who, leave) => {
    const { id, key } = await limited(100_000);
    const { caller, provider } = await session(key);
    caller.on('error', () => undefined);
    provider.send(begun);
    await once(caller, 'message');
    provider.send(done(100, 50));
    await once(caller, 'message');
    leave(caller, provider);
    await allSettled(world);
    await eventually(async () =>
      expect((await countersOf(world, id))['usage:tokens']).toMatchObject({ fill: 150, uncertain: 0 }),
    );
  });
});
