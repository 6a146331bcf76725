import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../support/provider.ts';
import { type CallOptions, created, startWorld, type World } from '../../support/world.ts';
import { dataOf } from '../support.ts';

let world: World;
let target: { virtual_key: string };
beforeAll(async () => {
  world = await startWorld();
  target = { virtual_key: world.slug };
});
afterAll(() => world.stop());

const answer =
  (status: number, body: object): Script =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const chat = answer(200, {
  object: 'chat.completion',
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1204, completion_tokens: 88, total_tokens: 1292 },
});
const broken = answer(503, { error: { message: 'Not now.' } });

const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };

/** What the logs of a call say of it, the oldest first. */
async function explained(scripts: Script[], options: CallOptions) {
  const { records } = await world.logged(scripts, { body, ...options });
  const { data } = dataOf(
    await world.app.graphql(
      `query ($traceId: String!) { logHistory(filters: { traceId: $traceId }, order: asc) { data {
        cost costLines { class units price amount source } routing { target action reason value }
      } } }`,
      { traceId: records[0]?.traceId },
    ),
  ).logHistory;
  return data as { cost: number | null; costLines: { amount: number }[] | null; routing: unknown[] }[];
}

const routingOf = async (scripts: Script[], config: unknown, options: CallOptions = {}) =>
  (await explained(scripts, { ...options, config })).map(({ routing }) => routing);

const taken = (at: number | string, reason: string, value: number | null = null) => ({
  target: typeof at === 'number' ? `config.targets[${at}]` : at,
  action: 'taken',
  reason,
  value,
});

describe('the way to a target', () => {
  it('is empty where there is no choice', async () => {
    expect(await routingOf([chat], target)).toEqual([[]]);
  });

  it('tells after which status a fallback went on, in the log of each target', async () => {
    const config = { strategy: { mode: 'fallback' }, targets: [target, target, target] };
    expect(await routingOf([broken, broken, chat], config)).toEqual([
      [taken(0, 'first')],
      [taken(1, 'fallback', 503)],
      [taken(2, 'fallback', 503)],
    ]);
  });

  it('tells weights, and goes down through groups', async () => {
    const config = {
      strategy: { mode: 'loadbalance' },
      targets: [
        { ...target, weight: 0 },
        { strategy: { mode: 'single' }, weight: 0.25, targets: [target] },
      ],
    };
    expect(await routingOf([chat], config)).toEqual([
      [taken(1, 'weight', 0.25), taken('config.targets[1].targets[0]', 'only')],
    ]);
  });

  it('tells which condition held, or that none did', async () => {
    const conditions = ['x', 'y'].map((team, index) => ({
      query: { 'metadata.team': { $eq: team } },
      // biome-ignore lint/suspicious/noThenProperty: the config calls it so
      then: `t${index}`,
    }));
    const config = {
      strategy: { mode: 'conditional', conditions, default: 't2' },
      targets: [0, 1, 2].map((index) => ({ ...target, name: `t${index}` })),
    };
    const asked = (team: string) =>
      routingOf([chat], config, { headers: { 'x-gateway-metadata': JSON.stringify({ team }) } });
    expect(await asked('y')).toEqual([[taken(1, 'condition', 1)]]);
    expect(await asked('z')).toEqual([[taken(2, 'default')]]);
  });

  it('tells how often a target was asked again', async () => {
    const config = { ...target, retry: { attempts: 2, on_status_codes: [503] } };
    const retried = { target: 'config', action: 'retried', reason: 'retry' };
    expect(await routingOf([broken, chat], config)).toEqual([[{ ...retried, value: 1 }]]);
  });

  it('tells which targets a circuit breaker keeps from calls', async () => {
    const cb_config = { failure_threshold: 1, cooldown_interval: 60_000, failure_status_codes: [503] };
    const config = {
      strategy: { mode: 'fallback', cb_config },
      targets: [target, { ...target, override_params: { model: 'other' } }],
    };
    const { data } = await created(world.app, '/v1/configs', { name: 'breaking', config });
    const { body: saved } = await world.app.rest('GET', `/v1/configs/${data.id}`);
    const { slug } = (saved as { data: { slug: string } }).data;
    const seen: unknown[] = [];
    const skipped = { target: 'config.targets[0]', action: 'skipped', reason: 'circuit_open', value: null };
    for (let tries = 0; tries < 20 && seen.length === 0; tries++) {
      const logs = await routingOf([broken, chat], slug);
      if (JSON.stringify(logs).includes('circuit_open')) seen.push(...logs);
    }
    expect(seen[0]).toEqual([skipped, taken(1, 'first')]);
  });
});

describe('the lines of a cost', () => {
  it('add up to it, with units, prices and their source', async () => {
    const [log] = await explained([chat], { config: target });
    expect(log).toMatchObject({
      cost: 0.389,
      costLines: [
        { class: 'request_token', units: 1204, price: 0.00025, amount: 0.301, source: 'catalogue' },
        { class: 'response_token', units: 88, price: 0.001, amount: 0.088, source: 'catalogue' },
      ],
    });
    expect(log?.costLines?.reduce((sum, { amount }) => sum + Math.round(amount * 1e7), 0)).toBe(3_890_000);
  });

  it('are none where nothing was billed, and null where a price is not known', async () => {
    const [refused] = await explained([answer(400, { error: { message: 'No.' } })], { config: target });
    expect(refused).toMatchObject({ cost: 0, costLines: [] });
    const unknown = { ...body, model: 'of-nobody' };
    const unpriced = answer(200, { object: 'chat.completion', choices: [], usage: { prompt_tokens: 5 } });
    const [nobody] = await explained([unpriced], { config: target, body: unknown });
    expect(nobody).toMatchObject({ cost: null, costLines: null });
  });
});
