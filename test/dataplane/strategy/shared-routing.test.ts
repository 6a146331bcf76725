import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Circuits } from '../../../src/dataplane/strategy/breaker/circuits.ts';
import { startEmbedded } from '../../../src/storage/embedded/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import {
  chatAnswer,
  json,
  type Script,
  type ScriptedProvider,
  startProvider,
} from '../../support/provider.ts';
import { created, messages } from '../../support/world.ts';

/** Milliseconds by which the clock of both processes is ahead of the real one. */
let ahead = 0;
const now = () => new Date(Date.now() + ahead);

let directory: string;
let store: Awaited<ReturnType<typeof startEmbedded>> | null = null;
let database: ReturnType<typeof testDatabase>;
let apps: TestApp[];
let providers: ScriptedProvider[];

/** Two processes of one installation, and two providers. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-shared-routing-'));
  database = testDatabase();
  if (!database.uri) store = await startEmbedded({ directory, databaseName: 'sluice' });
  const env = {
    MONGODB_URI: store?.uri ?? database.uri,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  apps = [await startApp(env, undefined, now), await startApp(env, undefined, now)];
  providers = [await startProvider(), await startProvider()];
}, 120_000);
afterAll(async () => {
  await Promise.all([...apps, ...providers].map((one) => one.stop()));
  await store?.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => answer(200, 200));

/** What the providers answer from now on; forgets what reached them. */
function answer(...statuses: number[]): void {
  statuses.forEach((status, index) => {
    providers[index]?.play(json(status, chatAnswer(`from ${index}`), { 'retry-after-ms': '1' }));
  });
}

const reached = () => providers.map(({ requests }) => requests.length);

const target = (index: number, rest: object = {}) => ({
  name: `t${index}`,
  provider: 'openai',
  api_key: 'k',
  custom_host: providers[index]?.url,
  ...rest,
});
const group = (mode: string, targets: unknown[], rest: object = {}) => ({
  strategy: { mode, ...rest },
  targets,
});

const appAt = (at: number): TestApp => apps[at] as TestApp;

async function save(config: object): Promise<{ id: string; slug: string }> {
  const { data } = await created(appAt(0), '/v1/configs', { name: 'shared', config });
  const read = await appAt(0).rest('GET', `/v1/configs/${data.id}`);
  return (read.body as { data: { id: string; slug: string } }).data;
}

/** A chat call at one of the two processes: its status and the path of the target that answered. */
async function call(
  config: string | object,
  { at = 0, headers = {} }: { at?: number; headers?: object } = {},
) {
  const { url } = appAt(at);
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'x-gateway-api-key': appAt(0).workspaceKey,
      'content-type': 'application/json',
      'x-gateway-config': typeof config === 'string' ? config : JSON.stringify(config),
      ...headers,
    },
    body: JSON.stringify({ model: 'm', messages }),
  });
  await response.arrayBuffer();
  return [response.status, response.headers.get('x-gateway-last-used-option-index')];
}

const first = [200, 'config.targets[0]'];
const second = [200, 'config.targets[1]'];

describe('circuit breaker', () => {
  const breaker = { failure_threshold: 2, cooldown_interval: 30_000 };
  const guarded = (rule: object = breaker, mode = 'fallback') =>
    group(mode, [target(0, { cb_config: rule }), target(1)]);

  async function fail(slug: string, times: number, status = 500): Promise<void> {
    answer(status, 200);
    for (let count = 0; count < times; count++) await call(slug);
    answer(200, 200);
  }

  test('a target that failed often enough is left out until its cooldown is over, and is called again then', async () => {
    const { slug } = await save(guarded());
    await fail(slug, 1);
    expect(await call(slug)).toEqual(first);
    await fail(slug, 1);
    expect([await call(slug), reached()]).toEqual([second, [0, 1]]);
    ahead += 29_000;
    expect(await call(slug)).toEqual(second);
    ahead += 1_001;
    expect(await call(slug)).toEqual(first);
    await fail(slug, 1);
    expect(await call(slug)).toEqual(first);
  });

  test('failures further apart than a cooldown do not add up', async () => {
    const { slug } = await save(guarded());
    await fail(slug, 1);
    ahead += 30_001;
    await fail(slug, 1);
    expect(await call(slug)).toEqual(first);
  });

  test.each([
    [500, { failure_threshold: 1 }, second],
    [499, { failure_threshold: 1 }, first],
    [429, { failure_threshold: 1 }, first],
    [429, { failure_threshold: 1, failure_status_codes: [429] }, second],
    [500, { failure_threshold: 1, failure_status_codes: [429] }, first],
    [500, { failure_threshold_percentage: 60, minimum_requests: 3 }, first],
    [500, { failure_threshold_percentage: 50, minimum_requests: 2 }, second],
    [500, { failure_threshold: 9, failure_threshold_percentage: 50, minimum_requests: 2 }, second],
  ])('a success and a %i under %j: the next call goes to %j', async (status, rule, expected) => {
    const { slug } = await save(guarded({ ...rule, cooldown_interval: 30_000 }));
    await call(slug);
    await fail(slug, 1, status);
    expect(await call(slug)).toEqual(expected);
  });

  const once = { ...breaker, failure_threshold: 1 };
  const halfway: Script = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"begun":', () => response.destroy());
  };
  test.each([
    ['does not answer in time', { request_timeout: 30 }, () => undefined, {}, second],
    ['cannot be reached', { custom_host: 'http://127.0.0.1:59/v1' }, null, {}, second],
    ['breaks off its answer', {}, halfway, {}, second],
    ['took longer than the caller waits', {}, () => undefined, { 'x-gateway-request-timeout': '30' }, first],
  ] as [string, object, Script | null, object, unknown][])(
    'after a call that %s: the next goes where it should',
    async (_name, rest, script, headers, expected) => {
      const { slug } = await save(group('fallback', [target(0, { cb_config: once, ...rest }), target(1)]));
      if (script) providers[0]?.play(script);
      await call(slug, { headers }).catch(() => undefined);
      answer(200, 200);
      expect(await call(slug)).toEqual(expected);
    },
  );

  test('however many models a caller names, the circuits of one process stay few', async () => {
    const circuits = new Circuits();
    const open = (model: number) =>
      circuits.isOpen({ id: `t:${model}`, target: 't', organisationId: 'o' }, once, Date.now());
    for (let model = 0; model < 1000; model++) {
      open(0);
      open(model);
    }
    const kept = circuits.inUse(Date.now()).map(({ _id }) => _id);
    expect([kept.length, kept.includes('t:0'), kept.includes('t:999')]).toEqual([20, true, true]);
  });

  test('retries count as the one call that they are', async () => {
    const retry = { attempts: 1, on_status_codes: [429], use_retry_after_header: true };
    const rule = { ...breaker, failure_status_codes: [429] };
    const { slug } = await save({ ...guarded(rule), retry });
    await fail(slug, 1, 429);
    expect(await call(slug)).toEqual(first);
  });

  test('a strategy’s breaker holds for its targets, and a target’s own goes before it', async () => {
    const own = { ...breaker, failure_threshold: 9 };
    const { slug } = await save(
      group('fallback', [target(0, { cb_config: own }), group('fallback', [target(0), target(1)])], {
        cb_config: { ...breaker, failure_threshold: 1 },
      }),
    );
    await fail(slug, 1);
    answer(500, 200);
    expect([await call(slug), reached()]).toEqual([
      [200, 'config.targets[1].targets[1]'],
      [1, 1],
    ]);
  });

  test('a load balancer draws among the others', async () => {
    const { slug } = await save(
      group('loadbalance', [target(0, { weight: 1e9, cb_config: breaker }), target(1, { weight: 1e-9 })]),
    );
    await fail(slug, 2);
    expect(await call(slug)).toEqual(second);
  });

  test('when every target is out, none is', async () => {
    const { slug } = await save(
      group('fallback', [target(0), target(1)], { cb_config: { ...breaker, failure_threshold: 1 } }),
    );
    answer(500, 500);
    expect(await call(slug)).toEqual([500, 'config.targets[1]']);
    expect(await call(slug)).toEqual([500, 'config.targets[1]']);
    expect(reached()).toEqual([2, 2]);
  });

  test('a group is out with the last of its targets', async () => {
    const { slug } = await save(
      group('loadbalance', [
        group('fallback', [target(0, { cb_config: { ...breaker, failure_threshold: 1 } })]),
        target(1, { weight: 0.000001 }),
      ]),
    );
    await fail(slug, 1);
    expect(await call(slug)).toEqual(second);
  });

  test('conditions go where they point', async () => {
    const { slug } = await save({
      ...guarded(breaker, 'conditional'),
      strategy: {
        mode: 'conditional',
        // biome-ignore lint/suspicious/noThenProperty: the config's own name for a condition's target
        conditions: [{ query: { 'params.model': 'm' }, then: 't0' }],
        default: 't1',
      },
    });
    await fail(slug, 3);
    expect(await call(slug)).toEqual(first);
  });

  test('a config on the request is not tracked', async () => {
    const config = guarded({ ...breaker, failure_threshold: 1 });
    answer(500, 200);
    await call(config);
    answer(200, 200);
    expect(await call(config)).toEqual(first);
  });

  test('what one process finds out, the other one hears of', async () => {
    const { slug } = await save(guarded());
    expect(await call(slug, { at: 1 })).toEqual(first);
    await fail(slug, 2);
    await eventually(async () => expect(await call(slug, { at: 1 })).toEqual(second), 2000);
  });

  test('the counts of both processes add up', async () => {
    const { slug } = await save(guarded({ ...breaker, failure_threshold: 3 }));
    answer(500, 200);
    await call(slug);
    await call(slug, { at: 1 });
    await call(slug);
    answer(200, 200);
    for (const at of [0, 1]) {
      await eventually(async () => expect(await call(slug, { at })).toEqual(second), 2000);
    }
  });
});

describe('sticky load balancing', () => {
  const sticky = { enabled: true, hash_fields: ['metadata.user', 'params.model'], ttl: 100 };
  const balanced = (targets: unknown[] = [target(0), target(1)], rest: object = {}) =>
    group('loadbalance', targets, { sticky, ...rest });
  const as = (user: string) => ({ headers: { 'x-gateway-metadata': JSON.stringify({ user }) } });

  test('each caller stays where it was sent first, whichever process it asks', async () => {
    const { slug } = await save(balanced());
    const users = Array.from({ length: 24 }, (_, index) => `user-${index}`);
    // One user after the other: a store that is too busy to answer in a second is not waited for.
    for (const user of users) {
      const answers = await Promise.all([0, 1, 0, 1].map((at) => call(slug, { at, ...as(user) })));
      expect(new Set(answers.map(String)).size).toBe(1);
    }
    expect(reached().every((count) => count > 0)).toBe(true);
  });

  test('a caller is drawn anew once its time is over', async () => {
    const { slug, id } = await save(balanced([target(0), target(1, { weight: 0 })]));
    const weights = (one: number, other: number) =>
      appAt(0).rest('PUT', `/v1/configs/${id}`, {
        body: { config: balanced([target(0, { weight: one }), target(1, { weight: other })]) },
      });
    expect(await call(slug, as('ann'))).toEqual(first);
    await weights(0, 1);
    expect([await call(slug, as('ann')), await call(slug, as('bob'))]).toEqual([first, second]);
    ahead += 100_001;
    expect(await call(slug, as('ann'))).toEqual(second);
  });

  test('a target that is gone, or taken out by its breaker, is replaced', async () => {
    const { slug, id } = await save(balanced([target(0), target(1, { weight: 0 })]));
    expect(await call(slug, as('ann'))).toEqual(first);
    const update = (config: object) => appAt(0).rest('PUT', `/v1/configs/${id}`, { body: { config } });
    await update(balanced([target(1), target(0, { name: 'renamed', weight: 0 })]));
    expect([await call(slug, as('ann')), reached()]).toEqual([first, [1, 1]]);

    const cb_config = { failure_threshold: 1, cooldown_interval: 30_000 };
    await update(balanced([target(0, { weight: 1e-9 }), target(1)], { cb_config }));
    answer(200, 500);
    expect(await call(slug, as('ann'))).toEqual([500, 'config.targets[1]']);
    expect(await call(slug, as('ann'))).toEqual(first);
  });

  test('a call without any of the fields is drawn each time', async () => {
    const config = balanced([target(0), target(1)], {
      sticky: { ...sticky, hash_fields: ['metadata.user'] },
    });
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(config)));
    expect(new Set(answers.map(String)).size).toBe(2);
  });

  test('stickiness that is switched off holds nobody', async () => {
    const config = balanced([target(0), target(1)], { sticky: { ...sticky, enabled: false } });
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(config, as('ann'))));
    expect(new Set(answers.map(String)).size).toBe(2);
  });
});
