import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { type RawRequest, rawRequest } from './raw-request.ts';

const KIB = 1024;
/** The process holds 8 MiB, an organisation 4, a credential 2, and so do callers without one; large bodies leave an eighth. */
const env = {
  BODY_MEMORY_BYTES: String(8 * KIB * KIB),
  MAX_JSON_BYTES: String(KIB * KIB),
  MAX_REPLAY_BYTES: String(KIB * KIB),
};

let app: TestApp;
let open: RawRequest[] = [];

beforeAll(async () => {
  app = await startApp(env);
});
afterAll(() => app.stop());

async function held(): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  return Number(/^sluice_body_bytes (\d+)$/m.exec(text)?.[1]);
}

afterEach(async () => {
  for (const request of open) request.drop();
  open = [];
  await eventually(async () => expect(await held()).toBe(0));
});

type Door = { line: string; headers?: Record<string, string> };

const chat: Door = { line: 'POST /v1/chat/completions' };
const passedOn: Door = { line: 'DELETE /v1/proxy/points' };
const upload: Door = {
  line: 'POST /v1/proxy/files',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
};
const rest: Door = { line: 'POST /v1/configs' };
const graph: Door = { line: 'POST /graphql' };
const stream: Door = { line: 'POST /graphql/stream' };
const token: Door = {
  line: 'POST /oauth2/access_token',
  headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic YTpi' },
};

function begin({ line, headers }: Door, kib: number, key?: string): RawRequest {
  const request = rawRequest(app.url, line, {
    'content-type': 'application/json',
    'content-length': String(kib * KIB + 1),
    ...(key !== undefined && { 'x-gateway-api-key': key }),
    ...headers,
  });
  open.push(request);
  request.write(Buffer.alloc(kib * KIB, ' '));
  return request;
}

/** Begins a body and waits until it is held. */
async function hold(door: Door, kib: number, key?: string): Promise<RawRequest> {
  const before = await held();
  const request = begin(door, kib, key);
  await eventually(async () => expect((await held()) - before).toBeGreaterThanOrEqual(kib * KIB));
  return request;
}

async function refused(door: Door, kib: number, key?: string): Promise<RawRequest> {
  const request = begin(door, kib, key);
  await request.closed;
  expect(request.answer()).toMatch(/\r\nretry-after: 2\r\n/i);
  expect(request.answer()).toMatch(/\r\nconnection: close\r\n/i);
  return request;
}

const served = async (key: string) => {
  const body = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'x' }] };
  return (await app.rest('POST', '/v1/chat/completions', { key, body })).status;
};

describe('a credential that holds its share', () => {
  it('is told so at every door, in its format, while its small requests and others pass', async () => {
    const key = app.workspaceKey;
    await hold(chat, 850, key);
    await hold(rest, 850, key);
    for (const door of [chat, passedOn, upload]) {
      const answer = await refused(door, 850, key);
      expect([answer.status(), answer.json().error]).toEqual([
        429,
        expect.objectContaining({ type: 'rate_limit_error', code: 'too_many_bodies' }),
      ]);
    }
    const overRest = await refused(rest, 850, key);
    expect([overRest.status(), overRest.json().error.code]).toEqual([429, 'AB06']);
    for (const door of [graph, stream]) {
      const answer = await refused(door, 850, key);
      expect([answer.status(), answer.json().errors[0].extensions.code]).toEqual([429, 'TOO_MANY_BODIES']);
    }
    expect(await served(key)).toBe(200);
    expect(await served((await app.createTenant()).workspaceKey)).toBe(200);
  });

  it('is served again as soon as one of its bodies is gone', async () => {
    const first = await hold(chat, 850, app.workspaceKey);
    await hold(chat, 850, app.workspaceKey);
    first.drop();
    await eventually(async () => expect(await held()).toBeLessThan(1000 * KIB));
    const third = await hold(rest, 850, app.workspaceKey);
    third.write('x');
    await eventually(async () => expect(third.status()).toBe(400));
  });

  it('does not hold what it only announced', async () => {
    for (let count = 0; count < 20; count++) {
      const announced = rawRequest(app.url, chat.line, {
        'content-type': 'application/json',
        'content-length': String(KIB * KIB),
        'x-gateway-api-key': app.workspaceKey,
      });
      open.push(announced);
      announced.write(' ');
    }
    await hold(chat, 850, app.workspaceKey);
  });
});

describe('callers without a credential', () => {
  it('share little among them, and have their answers in each format', async () => {
    await hold(graph, 850);
    await hold(graph, 850);
    for (const door of [graph, stream]) {
      const answer = await refused(door, 850);
      expect([answer.status(), answer.json().errors[0].extensions.code]).toEqual([429, 'TOO_MANY_BODIES']);
    }
    expect((await app.graphql('{ __schema { queryType { name } } }', {}, '')).status).toBe(200);
    expect(await served(app.workspaceKey)).toBe(200);
    for (let count = 0; count < 22; count++) await hold(graph, 15);
    const form = await refused(token, 15);
    expect([form.status(), form.json().error]).toEqual([429, 'temporarily_unavailable']);
  });

  it.each([
    ['POST /v1/chat/completions', 401],
    ['POST /v1/configs', 401],
    ['POST /v2/configs', 401],
    ['POST /graphql', 401],
  ])('with a wrong one have nothing held at %s', async (line, status) => {
    const request = begin({ line }, 850, 'sl-wrong');
    await eventually(async () => expect(request.status()).toBe(status));
    expect(await held()).toBe(0);
  });
});

describe('a process that holds all it may', () => {
  it('says so at every door', async () => {
    const tenants: Tenant[] = [];
    for (let count = 0; count < 5; count++) tenants.push(await app.createTenant());
    const last = tenants.pop()?.workspaceKey ?? '';
    for (const { workspaceKey } of tenants) {
      await hold(chat, 850, workspaceKey);
      await hold(chat, 850, workspaceKey);
    }
    const inference = await refused(chat, 850, last);
    expect([inference.status(), inference.json().error.code]).toEqual([503, 'bodies_full']);
    const overRest = await refused(rest, 850, last);
    expect([overRest.status(), overRest.json().error.code]).toEqual([503, 'AB04']);
    const overGraph = await refused(graph, 850, last);
    expect([overGraph.status(), overGraph.json().errors[0].extensions.code]).toEqual([503, 'BODIES_FULL']);
    expect(await served(last)).toBe(200);
  });
});
