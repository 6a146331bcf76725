import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allSettled, keyWith, providerWith } from '../../dataplane/limits/limited.ts';
import { bodyOf, expectGuarded, refusalOf } from '../../rest-compat/support.ts';
import type { Tenant } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, json } from '../../support/provider.ts';
import { messages, startWorld, until, type World } from '../../support/world.ts';
import { describeAccess } from '../access.ts';
import { dataOf, errorOf, makeKey } from '../support.ts';

let world: World;
let neighbour: Tenant;
beforeAll(async () => {
  world = await startWorld();
  neighbour = await world.app.createTenant();
});
afterAll(() => world.stop());

const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const ok = json(200, chatAnswer('hello', usage));
const chat = (more: object = {}) => ({ model: `@${world.slug}/gpt-4o`, messages, ...more });
const PATH = '/v1/gateway/limits/check';

/** What a call of a key would meet. */
const check = async (apiKeyId: string, body: object | null, more: object = {}) =>
  bodyOf(
    await world.app.rest('POST', PATH, {
      key: world.app.workspaceKey,
      body: { api_key_id: apiKeyId, path: '/v1/chat/completions', body, ...more },
    }),
  );

describeAccess(() => ({ app: world.app, neighbour }), 'workspace-service', {
  checkAdmission: {
    document: '{ checkAdmission(input: { path: "/v1/chat/completions", body: {} }) { admitted } }',
    scopes: ['policies.read'],
  },
});

describe('a call that is only weighed', () => {
  it('is told what it may come to and which limits it comes under; nothing is taken and nobody is asked', async () => {
    const { id, key } = await keyWith(world, {
      rates: [{ unit: 'rpm', value: 2 }],
      usage: [
        { type: 'cost', creditLimit: 1 },
        { type: 'tokens', creditLimit: 5000 },
      ],
    });
    const asked = world.provider.requests.length;
    const logs = await world.app.db.collection('logs').countDocuments();
    for (let time = 0; time < 5; time++) {
      const answer = await check(id, chat({ max_tokens: 1000 }));
      expect(answer).toMatchObject({
        ...{ admitted: true, refusal: null, cap: 1000, cap_limit_id: null },
        target: { provider: 'openai', slug: world.slug, model: 'gpt-4o' },
        estimate: { class: 'bounded' },
        limits: [
          { level: 'api_key', unit: 'requests', value: 2, needed: 1, used: 0, remaining: 2, verdict: 'fits' },
          { unit: 'cost', value: 1, used: 0, held: 0, remaining: 1, verdict: 'fits', value_key: null },
          { unit: 'tokens', value: 5000, remaining: 5000, verdict: 'fits' },
        ],
      });
      const { estimate, limits } = answer;
      expect(limits[1].needed).toBe(estimate.cost);
      expect(limits[2].needed).toBe(estimate.tokens);
      expect(estimate.tokens).toBeGreaterThan(1000);
    }
    expect(world.provider.requests).toHaveLength(asked);
    expect(await world.app.db.collection('limit_counters').countDocuments({ limitId: { $regex: id } })).toBe(
      0,
    );
    expect(await world.app.db.collection('logs').countDocuments()).toBe(logs);
    world.provider.play(ok);
    for (const status of [200, 200, 429])
      expect((await world.call({ key, body: chat({ max_tokens: 100 }) })).status).toBe(status);
    await allSettled(world);
  });

  it('is refused with what a real one is refused with', async () => {
    const { id, key } = await keyWith(world, { usage: [{ type: 'cost', creditLimit: 0.01 }] });
    const body = chat({ max_tokens: 2000 });
    const real = await world.call({ key, body });
    const weighed = await check(id, body);
    expect(weighed).toMatchObject({
      admitted: false,
      refusal: { status: 412, code: 'request_exceeds_limit', message: real.json.error.message },
      limits: [{ verdict: 'never', needed: real.json.limit.needed }],
    });
    expect(weighed.refusal.message).toMatch(/A cap of [\d,]+ tokens/);
  });

  it('sees what was used, and what calls under way hold', async () => {
    const { id, key } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 2000 }] });
    let release = () => {};
    world.provider.play(async (request, response, raw) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await ok(request, response, raw);
    });
    const before = world.provider.requests.length;
    const first = world.call({ key, body: chat({ max_tokens: 1500 }) });
    await until(() => world.provider.requests.length > before);
    await eventually(async () => {
      const { admitted, refusal, limits } = await check(id, chat({ max_tokens: 1500 }));
      expect({ admitted, code: refusal?.code, limit: limits[0] }).toMatchObject({
        ...{ admitted: false, code: 'usage_limit_reserved' },
        limit: { verdict: 'held', used: 0, held: expect.any(Number) },
      });
    });
    release();
    expect((await first).status).toBe(200);
    await eventually(async () =>
      expect(await check(id, chat({ max_tokens: 1500 }))).toMatchObject({
        admitted: true,
        limits: [{ used: 8, held: 0, remaining: 1992 }],
      }),
    );
  });

  it('is told the cap that the gateway would set, and whose limit makes it so small', async () => {
    const { id } = await keyWith(world, { usage: [{ type: 'tokens', creditLimit: 2000 }] });
    const answer = await check(id, chat());
    expect(answer.cap).toBeGreaterThanOrEqual(256);
    expect(answer.cap).toBeLessThan(2000);
    expect(answer.cap_limit_id).toBe(answer.limits[0].limit_id);
    const { id: free } = await keyWith(world, {});
    expect(await check(free, chat())).toMatchObject({ admitted: true, cap_limit_id: null, limits: [] });
  });

  it('comes under policies by its headers, and under the limits of where it would go', async () => {
    const { id } = await keyWith(world, {});
    const slug = await providerWith(world, { rates: [{ unit: 'rpm', value: 0 }] });
    const policy = bodyOf(
      await world.app.rest('POST', '/v1/policies/usage-limits', {
        body: {
          name: 'Users',
          conditions: [{ key: 'api_key', value: id }],
          group_by: [{ key: 'metadata._user' }],
          ...{ type: 'requests', credit_limit: 3 },
        },
      }),
    );
    const headers = { 'X-Gateway-Metadata': JSON.stringify({ _user: 'alice' }) };
    const body = { model: `@${slug}/gpt-4o`, messages };
    const refused = await check(id, body, { headers });
    expect(refused).toMatchObject({
      refusal: { status: 429 },
      limits: [
        { level: 'policy', name: 'Users', value_key: 'metadata._user:alice', verdict: 'fits' },
        { level: 'provider', name: slug, verdict: 'never' },
      ],
    });
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: `@${slug}` }, { provider: `@${world.slug}` }],
    };
    const passed = await check(
      id,
      { model: 'gpt-4o', messages },
      { headers: { ...headers, 'x-gateway-config': JSON.stringify(config) } },
    );
    expect(passed).toMatchObject({ admitted: true, target: { slug: world.slug } });
    await world.app.rest('DELETE', `/v1/policies/usage-limits/${policy.id}`);
  });

  it.each([
    ['names no provider', { model: 'gpt-4o', messages }, {}, { status: 400 }],
    ['has no body', null, {}, { status: 400 }],
    ['is sent by another method', null, { method: 'DELETE' }, { status: 405 }],
    [
      'has a config that is none',
      { messages },
      { headers: { 'x-gateway-config': '{"retry": 1}' } },
      { status: 400 },
    ],
  ])('and %s is told so', async (_what, body, more, refusal) => {
    const { id } = await keyWith(world, {});
    expect(await check(id, body, more)).toMatchObject({ admitted: false, refusal, limits: [] });
  });

  it('needs no budget where it looks at files', async () => {
    const { id } = await keyWith(world, { usage: [{ type: 'requests', creditLimit: 1 }] });
    const headers = { 'x-gateway-provider': `@${world.slug}` };
    expect(await check(id, null, { method: 'GET', path: '/v1/files', headers })).toMatchObject({
      admitted: true,
      limits: [],
    });
  });

  it('is that of the caller where no key is named', async () => {
    const answer = await world.app.rest('POST', PATH, {
      body: { path: '/v1/chat/completions', body: chat() },
    });
    expect(bodyOf(answer)).toMatchObject({ admitted: true, limits: [] });
    const { data } = await world.app.graphql(
      'query ($body: JSON) { checkAdmission(input: { path: "/v1/chat/completions", body: $body }) { admitted } }',
      { body: chat() },
      world.app.workspaceKey,
    );
    expect(data.checkAdmission).toEqual({ admitted: true });
  });
});

describe('a question about a call', () => {
  it.each([
    ['a path outside', { path: '/graphql' }, 'path'],
    ['no path', {}, 'path'],
    ['an unknown method', { path: '/v1/models', method: 'TRACE' }, 'method'],
    ['headers that are a list', { path: '/v1/models', headers: [] }, 'headers'],
    ['a header that is no text', { path: '/v1/models', headers: { a: 1 } }, 'headers.a'],
    ['a body that is a list', { path: '/v1/models', body: [] }, 'body'],
    ['a key of nobody', { path: '/v1/models', api_key_id: 'nobody' }, 'api_key_id'],
  ])('with %s is refused', async (_what, body, param) => {
    expect(refusalOf(await world.app.rest('POST', PATH, { body }))).toMatchObject({ status: 400, param });
  });

  it('needs a key where the credential makes no calls', async () => {
    const document = '{ checkAdmission(input: { path: "/v1/chat/completions", body: {} }) { admitted } }';
    expect(errorOf(await world.app.graphql(document))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.apiKeyId',
    });
    const { id } = await keyWith(world, {});
    const named = `query ($id: ID!, $body: JSON) {
      checkAdmission(input: { apiKeyId: $id, path: "/v1/chat/completions", body: $body }) { admitted } }`;
    expect(dataOf(await world.app.graphql(named, { id, body: chat() })).checkAdmission.admitted).toBe(true);
    expect(errorOf(await world.app.graphql(named, { id, body: chat() }, neighbour.adminKey))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.apiKeyId',
    });
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(world.app, 'workspace-service', { without: ['policies.read'] });
    await expectGuarded(world.app, ['POST', PATH, { path: '/v1/chat/completions', body: {} }], key);
  });
});
