import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { json, type ReceivedRequest } from '../../support/provider.ts';
import { recordsOf } from '../../support/records.ts';
import { type CallOptions, created, startWorld, type World } from '../../support/world.ts';

let world: World;
const KEPT = 128 * 1024;

beforeAll(async () => {
  world = await startWorld({ MAX_REPLAY_BYTES: String(KEPT) });
});
afterAll(() => world.stop());

const methods = ['GET', 'DELETE'];
const paths = ['/v1/collections/x/points', '/v1/proxy/collections/x/points'];
const through = (headers: Record<string, string> = {}) => ({
  'x-gateway-provider': `@${world.slug}`,
  ...headers,
});

const received = () => {
  expect(world.provider.requests).toHaveLength(1);
  return world.provider.requests[0] as ReceivedRequest;
};

const send = (options: CallOptions) => {
  world.provider.play(json(200, {}));
  return world.call(options);
};

const text = '{ "ids": ["1","2"],  "n":1.0 }';

describe.each(methods.flatMap((method) => paths.map((path) => [method, path])))('%s %s', (method, path) => {
  test.each<[string, () => CallOptions]>([
    ['a header', () => ({ headers: through() })],
    ['an inline config', () => ({ config: { provider: `@${world.slug}` } })],
    [
      'a custom host',
      () => ({ headers: { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': world.provider.url } }),
    ],
  ])('takes its body to the provider that %s chooses', async (_name, choice) => {
    const answer = await send({ method, path, body: text, ...choice() });
    expect([answer.status, received().method, String(received().body)]).toEqual([200, method, text]);
    expect(received().headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(text.length),
    });
    expect(received().headers['transfer-encoding']).toBeUndefined();
  });

  test.each<[string, string, Buffer]>([
    ['broken JSON', 'application/json', Buffer.from('{"never": ends')],
    ['a list', 'application/vnd.api+json', Buffer.from('[1, 2 ,3]')],
    ['bytes', 'application/octet-stream', randomBytes(70_000)],
    ['more than is kept', 'application/octet-stream', randomBytes(2 * KEPT)],
  ])('takes %s as they are, announced or not', async (_name, type, body) => {
    for (const announced of [true, false]) {
      const length = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
      const headers = { ...through({ 'content-type': type }), ...(announced ? {} : length) };
      const answer = await send({ method, path, body, headers });
      expect([answer.status, received().body.equals(body)]).toEqual([200, true]);
      expect(received().headers['content-type']).toBe(type);
    }
  });

  test('sends nothing about a body that it does not have, over one connection', async () => {
    const ports = new Set<number | undefined>();
    for (let count = 0; count < 3; count++) {
      world.provider.play((_request, response, raw) => {
        ports.add(raw.socket.remotePort);
        response.end('{}');
      });
      const answer = await world.call({ method, path, headers: through() });
      expect([answer.status, received().body.length]).toEqual([200, 0]);
      expect(received().headers).not.toHaveProperty('content-length');
      expect(received().headers).not.toHaveProperty('transfer-encoding');
    }
    expect(ports.size).toBe(1);
  });

  test('has no other request behind its body on the connection to the provider', async () => {
    const ports: (number | undefined)[] = [];
    for (let count = 0; count < 3; count++) {
      world.provider.play((_request, response, raw) => {
        ports.push(raw.socket.remotePort);
        response.end('{}');
      });
      await world.call({ method, path, headers: through(), body: text });
    }
    expect(new Set(ports).size).toBe(3);
  });

  test('has a body as others have: parameters, model, log', async () => {
    const config = { override_params: { a: 1 }, drop_params: ['n'] };
    const body = { model: `@${world.slug}/m`, ids: ['marked'], n: 2 };
    const tagged = `${path}?logged`;
    expect((await send({ method, path: tagged, body, config })).status).toBe(200);
    expect(JSON.parse(String(received().body))).toEqual({ model: 'm', ids: ['marked'], a: 1 });
    const unread = { ...through({ 'content-type': 'text/plain' }) };
    const refused = await send({ method, path, headers: unread, body: text, config });
    expect([refused.status, refused.json.error.param]).toEqual([400, 'content-type']);
    const [record] = await recordsOf(world.app, { requestUrl: tagged, requestMethod: method });
    const { body: shown } = await world.app.rest('GET', `/v1/logs/${record?._id}`);
    expect((shown as any).request.body).toEqual(body);
  });
});

test.each(methods)('conditions look into the body of a %s', async (method) => {
  const target = (chosen: string) => ({ provider: `@${world.slug}`, override_params: { chosen } });
  const config = {
    strategy: {
      mode: 'conditional',
      conditions: [['params.kind', 'big']].map(([key = '', then]) => ({ query: { [key]: 'big' }, then })),
      default: 'rest',
    },
    targets: [
      { name: 'big', ...target('big') },
      { name: 'rest', ...target('rest') },
    ],
  };
  for (const [kind, chosen] of [
    ['big', 'big'],
    ['small', 'rest'],
  ]) {
    expect((await send({ method, path: '/v1/proxy/x', body: { kind }, config })).status).toBe(200);
    expect(JSON.parse(String(received().body))).toEqual({ kind, chosen });
  }
});

test.each(methods)(
  'a provider with restricted models takes no other model in the body of a %s',
  async (method) => {
    const slug = await world.makeProvider();
    await world.app.rest('PUT', `/v1/integrations/${slug}/models`, {
      body: { models: [{ slug: 'ok', enabled: true }], allow_all_models: false },
    });
    const status = async (options: CallOptions) =>
      (await send({ method, path: '/v1/proxy/x', headers: { 'x-gateway-provider': `@${slug}` }, ...options }))
        .status;
    expect(await status({ body: { model: 'ok' } })).toBe(200);
    expect(await status({ body: { model: 'other' } })).toBe(403);
    expect(await status({ body: { ids: [] } })).toBe(403);
    expect(await status({ body: '[]' })).toBe(403);
    expect(await status({ body: null })).toBe(200);
  },
);

test('a saved config leads the body of a DELETE, too', async () => {
  const { data } = await created(world.app, '/v1/configs', {
    name: 'points',
    config: { provider: `@${world.slug}` },
  });
  const saved = await world.app.rest('GET', `/v1/configs/${data.id}`);
  const config = (saved.body as { data: { slug: string } }).data.slug;
  const answer = await send({ method: 'DELETE', path: '/v1/points', body: text, config });
  expect([answer.status, String(received().body)]).toEqual([200, text]);
});

test.each(methods)('a known path says which content types it takes in a %s', async (method) => {
  const headers = through({ 'content-type': 'text/plain' });
  const answer = await send({ method, path: '/v1/files/f', headers, body: 'x' });
  expect([answer.status, answer.json.error.param]).toEqual([400, 'content-type']);
  expect((await send({ method, path: '/v1/files/f', headers, body: null })).status).toBe(200);
});
