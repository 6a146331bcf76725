import { afterAll, afterEach, beforeAll, describe, expect, it, test } from '@jest/globals';
import { eventsIn } from '../../../src/storage/events/index.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import type { Tenant } from '../../support/app.ts';
import { type SubscriptionClient, socketClient, until } from '../../support/subscriptions.ts';
import { startWorld, type World } from '../../support/world.ts';
import { describeAccess } from '../access.ts';
import { dataOf, errorOf } from '../support.ts';

let world: World;
let neighbour: Tenant;
const clients: SubscriptionClient[] = [];

beforeAll(async () => {
  world = await startWorld();
  neighbour = await world.app.createTenant();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => world.stop());

const inserted = (traceId: string, count = 1, status = 200) =>
  Array.from({ length: count }, (_, at) => ({
    request: { url: `/number/${at}`, body: {} },
    response: { status, body: {} },
    metadata: { trace_id: traceId },
  }));
const insert = async (input: unknown, key = world.app.workspaceKey) =>
  dataOf(await world.app.graphql('mutation ($input: JSON!) { insertLogs(input: $input) }', { input }, key));

/** A subscription that is known to be open: what is written now is in it. */
async function follow(query: string, key = world.app.workspaceKey) {
  const client = socketClient(world.app.url, key);
  clients.push(client);
  const pulse = client.subscribe('subscription { activity(everyMs: 250) { requests } }');
  const results = client.subscribe(query);
  await pulse.next();
  await pulse.next();
  return results;
}

describe('logs that are added together', () => {
  it('are shown as far as they may be, and counted beyond', async () => {
    const tail = await follow(
      'subscription { logsAdded(filters: { traceId: "many" }, maxPerSecond: 7) { data { requestUrl } skipped } }',
    );
    await insert([...inserted('many', 400), ...inserted('other', 50)]);
    let [shown, skipped] = [0, 0];
    const urls: string[] = [];
    while (shown + skipped < 400) {
      const { data, skipped: more } = (await tail.next())?.data?.logsAdded ?? { data: [], skipped: 0 };
      urls.push(...data.map(({ requestUrl }: { requestUrl: string }) => requestUrl));
      shown += data.length;
      skipped += more;
    }
    expect(shown + skipped).toBe(400);
    expect(shown).toBeGreaterThanOrEqual(7);
    expect(shown).toBeLessThan(100);
    expect(urls.slice(0, 7)).toEqual(Array.from({ length: 7 }, (_, at) => `/number/${at}`));
  });

  it('are those that a search finds', async () => {
    const tail = await follow(
      'subscription { logsAdded(filters: { search: "NEEDLE" }) { data { traceId } skipped } }',
    );
    await insert(inserted('hay', 3));
    await insert(inserted('needle-1'));
    expect((await tail.next())?.data?.logsAdded).toEqual({ data: [{ traceId: 'needle-1' }], skipped: 0 });
  });
});

describe('a pulse', () => {
  it('counts each request once, and goes on where there are none', async () => {
    const pulse = await follow(
      'subscription { activity(filters: { traceId: "pulse" }, everyMs: 250) { requests errors cost } }',
    );
    expect((await pulse.next())?.data?.activity).toEqual({ requests: 0, errors: 0, cost: 0 });
    await insert([...inserted('pulse', 30), ...inserted('pulse', 12, 500), ...inserted('other', 5)]);
    await insert(inserted('pulse', 9), neighbour.workspaceKey);
    const sum = { requests: 0, errors: 0 };
    while (sum.requests < 42) {
      const { requests, errors } = (await pulse.next())?.data?.activity ?? { requests: 0, errors: 0 };
      sum.requests += requests;
      sum.errors += errors;
    }
    for (let more = 0; more < 3; more++) sum.requests += (await pulse.next())?.data?.activity.requests ?? 0;
    expect(sum).toEqual({ requests: 42, errors: 12 });
  });

  it.each([
    ['subscription { activity(everyMs: 10) { requests } }', 'everyMs'],
    ['subscription { logsAdded(maxPerSecond: 0) { skipped } }', 'maxPerSecond'],
  ])('is refused for %s', async (query, param) => {
    const client = socketClient(world.app.url, world.app.workspaceKey);
    clients.push(client);
    const refused = await client.subscribe(query).next();
    expect(refused?.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', param } }]);
  });
});

describeAccess(() => ({ app: world.app, neighbour }), 'workspace-service', {
  logArrivals: { document: '{ logArrivals { cursor } }', scopes: ['logs.list'] },
});

describe('arrivals', () => {
  const ask = (args: string, key = world.app.workspaceKey) =>
    world.app.graphql(`{ logArrivals(${args}) { data { traceId requestUrl } cursor hasMore } }`, {}, key);
  const arrivals = async (args: string, key?: string) => dataOf(await ask(args, key)).logArrivals;

  it('have every log once, that of a slow request after those of faster ones that began later', async () => {
    const { cursor } = await arrivals('limit: 100');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.provider.play(async (_request, response) => {
      await held;
      response.end('{"choices":[]}');
    });
    const slow = world.call({ headers: { 'x-gateway-trace-id': 'slow' } });
    await until(() => world.provider.requests.length > 0);
    await insert(inserted('fast', 3));
    const seen: string[] = [];
    let after = cursor;
    const poll = async () => {
      const page = await arrivals(`after: "${after}", limit: 2`);
      after = page.cursor;
      seen.push(...page.data.map(({ traceId }: { traceId: string }) => traceId));
      return page;
    };
    await until(async () => (await poll()) && seen.length === 3);
    release();
    await slow;
    await until(async () => (await poll()) && seen.length === 4);
    expect(seen).toEqual(['fast', 'fast', 'fast', 'slow']);
    expect(await poll()).toMatchObject({ data: [], hasMore: false });
  });

  it('are whole in pages of any size, of the own workspace, and of what the filters let through', async () => {
    const { cursor } = await arrivals('limit: 1');
    await insert([...inserted('a', 5), ...inserted('b', 4)]);
    await insert(inserted('c', 3), neighbour.workspaceKey);
    const walk = async (limit: number, filters = '', key?: string) => {
      const urls: string[] = [];
      for (let after = cursor; ; ) {
        const page = await arrivals(`after: "${after}", limit: ${limit}${filters}`, key);
        urls.push(...page.data.map(({ traceId }: { traceId: string }) => traceId));
        after = page.cursor;
        if (!page.hasMore) return urls.join('');
      }
    };
    await until(async () => (await walk(100)) === 'aaaaabbbb');
    for (const limit of [1, 2, 4, 5]) expect(await walk(limit)).toBe('aaaaabbbb');
    expect(await walk(3, ', filters: { traceId: "b" }')).toBe('bbbb');
    await until(async () => (await walk(3, '', neighbour.workspaceKey)) === 'ccc');
  });

  it.each(['x', '12', '1-', '-1-0'])('after %p are refused', async (after) => {
    expect(errorOf(await ask(`after: "${after}"`))).toEqual({ code: 'VALIDATION_FAILED', param: 'after' });
  });

  test('that are kept no longer say so', async () => {
    const { cursor } = await arrivals('limit: 1');
    await insert(inserted('late'));
    await until(async () => (await arrivals(`after: "${cursor}"`)).data.length === 1);
    await insert(inserted('late'));
    await until(async () => (await arrivals(`after: "${cursor}"`)).data.length === 2);
    const first = Number(cursor.split('-')[0]) + 1;
    await eventsIn(nativeDb(world.app.db)).deleteMany({ _id: { $lte: first } });
    expect(errorOf(await ask(`after: "${cursor}"`))).toMatchObject({ code: 'EVENTS_MISSED' });
    expect(errorOf(await ask('after: "999999-0"'))).toMatchObject({ code: 'EVENTS_MISSED' });
  });
});
