import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyWith } from '../../dataplane/limits/limited.ts';
import { bodyOf } from '../../rest-compat/support.ts';
import type { Tenant } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, json } from '../../support/provider.ts';
import { messages, startWorld, type World } from '../../support/world.ts';
import { describeAccess } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf, makeKey } from '../support.ts';

let world: World;
let neighbour: Tenant;
/** A policy, and the counters of its two users. */
let policy: string;
let alice: string;

const FIELDS = `id limitId level valueKey values unit limit used held uncertain abandoned remaining status alertedAt
  exhaustedAt unpricedRequests overshoot leases { process granted used held }`;
const LIST = `query ($id: ID!, $status: LimitStatus, $search: String) {
  limitCounters(limitId: $id, status: $status, search: $search) { total data { ${FIELDS} } } }`;
const RESET = 'mutation ($id: ID!) { resetLimitCounter(id: $id) { id used status } }';
const RETURN = 'mutation ($id: ID!) { returnAbandoned(id: $id) { id abandoned remaining } }';

const counters = async (variables: object = {}, key?: string) =>
  dataOf(await world.app.graphql(LIST, { id: `policy:${policy}`, ...variables }, key)).limitCounters;
const chat = async (user: string) =>
  (
    await world.call({
      headers: { 'x-gateway-metadata': JSON.stringify({ _user: user }) },
      body: { model: `@${world.slug}/gpt-4o`, messages },
    })
  ).status;

beforeAll(async () => {
  world = await startWorld();
  neighbour = await world.app.createTenant();
  world.provider.play(
    json(200, chatAnswer('hello', { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 })),
  );
  ({ id: policy } = bodyOf(
    await world.app.rest('POST', '/v1/policies/usage-limits', {
      body: {
        name: 'Calls of a user',
        conditions: [{ key: 'model', value: '*' }],
        group_by: [{ key: 'metadata._user' }],
        ...{ type: 'requests', credit_limit: 2, alert_threshold: 1, wait_ms: 0 },
      },
    }),
  ));
  for (const user of ['alice', 'alice', 'bob']) expect(await chat(user)).toBe(200);
  await eventually(async () => {
    const { data } = await counters();
    expect(data).toMatchObject([
      { used: 2, alertedAt: expect.any(String), exhaustedAt: expect.any(String) },
      { used: 1 },
    ]);
    alice = data[0].id;
  });
  // Nothing of those calls is written any more.
  await world.app.logged();
  await eventually(async () => {
    const before = await dumpResources(world.app);
    await pause(1200);
    expect((await dumpResources(world.app)) === before).toBe(true);
  });
});
afterAll(() => world.stop());

describeAccess(() => ({ app: world.app, neighbour }), 'workspace-service', {
  limitCounters: { document: '{ limitCounters(limitId: "policy:x") { total } }', scopes: ['policies.read'] },
  limitHistory: { document: '{ limitHistory(limitId: "policy:x") { total } }', scopes: ['policies.read'] },
  resetLimitCounter: {
    document: RESET,
    variables: () => ({ id: alice }),
    scopes: ['policies.update'],
    audit: 'limit_counter.reset',
    addressed: true,
  },
  returnAbandoned: {
    document: RETURN,
    variables: () => ({ id: alice }),
    scopes: ['policies.update'],
    audit: 'limit_counter.return_abandoned',
    addressed: true,
  },
});

describe('counters of a limit', () => {
  it('show what each value has used, and are the tenant’s alone', async () => {
    const { total, data } = await counters();
    expect(total).toBe(2);
    expect(data[0]).toEqual({
      ...{ id: alice, limitId: `policy:${policy}`, level: 'policy', valueKey: 'metadata._user:alice' },
      ...{
        values: { 'metadata._user': 'alice' },
        unit: 'requests',
        limit: 2,
        used: 2,
        held: 0,
        uncertain: 0,
      },
      ...{ abandoned: 0, remaining: 0, status: 'exhausted', unpricedRequests: 0, overshoot: 0 },
      ...{ alertedAt: expect.any(String), exhaustedAt: expect.any(String), leases: expect.any(Array) },
    });
    expect(data[1]).toMatchObject({ valueKey: 'metadata._user:bob', status: 'active', exhaustedAt: null });
    expect((await counters({ status: 'exhausted' })).data).toMatchObject([{ id: alice }]);
    expect((await counters({ status: 'active' })).total).toBe(1);
    expect((await counters({ search: 'BOB' })).total).toBe(1);
    expect((await counters({ search: '.*' })).total).toBe(0);
    expect(await counters({}, neighbour.adminKey)).toEqual({ total: 0, data: [] });
    const named = await world.app.graphql(
      'query ($id: ID!) { usageLimitPolicy(id: $id) { ... on Limit { limitId level enforcement } } }',
      { id: policy },
    );
    expect(dataOf(named).usageLimitPolicy).toEqual({
      ...{ limitId: `policy:${policy}`, level: 'policy', enforcement: 'hard' },
    });
  });

  it('show where their usage leads, once they were in use for ten minutes', async () => {
    const forecasts = async () =>
      dataOf(
        await world.app.graphql(
          `query ($id: ID!) { limitCounters(limitId: $id) { data {
            valueKey forecast { exhaustsAt usedAtReset paceSeconds paceUsed } } } }`,
          { id: `policy:${policy}` },
        ),
      ).limitCounters.data;
    expect((await forecasts())[1]).toEqual({ valueKey: 'metadata._user:bob', forecast: null });
    const stored = world.app.db.collection<{ _id: string; samples?: object }>('limit_counters');
    const sample = { at: expect.any(Number), fill: 0, gen: 0 };
    const [kept] = Object.values((await stored.findOne({ _id: alice }))?.samples ?? {}) as object[];
    expect(kept).toEqual(sample);
    const [bob] = (await counters({ search: 'bob' })).data;
    const hourAgo = Date.now() - 3_600_000;
    const before = await stored.findOneAndUpdate(
      { _id: bob.id },
      { $set: { samples: { 5: { at: hourAgo, fill: 0, gen: 0 } } } },
    );
    const { forecast } = (await forecasts())[1];
    expect(forecast).toEqual({
      exhaustsAt: expect.any(String),
      usedAtReset: null,
      paceSeconds: expect.any(Number),
      paceUsed: 1,
    });
    // One call an hour, and one is left.
    expect(new Date(forecast.exhaustsAt).getTime()).toBeGreaterThanOrEqual(hourAgo + 2 * 3_600_000);
    await stored.updateOne({ _id: bob.id }, { $set: { samples: before?.samples } });
  });

  it('of periods that are over are listed by value, the newest first', async () => {
    const stored = world.app.db.collection<{ _id: string }>('limit_counters');
    const { _id, ...counter } = (await stored.findOne({ _id: alice })) ?? {};
    const periods = [1, 2, 3].map((from) => ({
      ...{
        ...counter,
        _id: `policy:past:${from}`,
        limitId: 'policy:past',
        from,
        until: from + 1,
        fill: from,
      },
    }));
    await stored.insertMany(periods);
    const history = async (key?: string) =>
      dataOf(
        await world.app.graphql(
          `{ limitHistory(limitId: "policy:past", valueKey: "metadata._user:alice", pageSize: 2) {
            total data { from used } } }`,
          {},
          key,
        ),
      ).limitHistory;
    const from = (ms: number) => new Date(ms).toISOString();
    expect(await history()).toEqual({
      total: 3,
      data: [
        { from: from(3), used: 3 },
        { from: from(2), used: 2 },
      ],
    });
    expect(await history(neighbour.adminKey)).toEqual({ total: 0, data: [] });
    await stored.deleteMany({ _id: { $in: periods.map(({ _id: id }) => id) } });
  });

  it('are set back one by one, with what was before in the trail', async () => {
    expect(dataOf(await world.app.graphql(RESET, { id: alice })).resetLimitCounter).toEqual({
      ...{ id: alice, used: 0, status: 'active' },
    });
    await eventually(async () => expect(await chat('alice')).toBe(200));
    const rows = await auditRows(world.app, {
      resourceType: 'limit_counter',
      action: 'reset',
      outcome: 'success',
    });
    expect(rows.at(-1)?.changes).toContainEqual({ member: 'fill', before: 2, after: 0 });
    const { data } = await world.app.graphql(
      '{ limitAlarms(kind: limit_reset) { data { limitId used amount } } }',
    );
    expect(data.limitAlarms.data).toContainEqual({ limitId: `policy:${policy}`, used: 2, amount: 2 });
  });

  it('get back what a process held that died', async () => {
    const { data } = await counters({ search: 'bob' });
    const { id } = data[0];
    const dead = { s: 1, g: 1, u: 0, h: 1, t: new Date(Date.now() - 60_000) };
    await world.app.db
      .collection<{ _id: string }>('limit_counters')
      .updateOne({ _id: id }, { $set: { 'L.dead-1': dead }, $inc: { room: -1 } });
    expect((await counters({ search: 'bob' })).data[0]).toMatchObject({ abandoned: 1, remaining: 0 });
    expect(dataOf(await world.app.graphql(RETURN, { id })).returnAbandoned).toEqual({
      ...{ id, abandoned: 0, remaining: 1 },
    });
    expect(await chat('bob')).toBe(200);
  });

  it('of a key are not set back by the key, nor those of a workspace by the workspace', async () => {
    const limited = await keyWith(world, { usage: [{ type: 'requests', creditLimit: 5 }] });
    await world.call({ key: limited.key, body: { model: `@${world.slug}/gpt-4o`, messages } });
    const limitId = `api_key:${limited.id}:usage:requests:0`;
    const id = await eventually(async () => {
      const { data } = await counters({ id: limitId });
      expect(data).toMatchObject([{ level: 'api_key', used: 1 }]);
      return data[0].id as string;
    });
    await world.app.db
      .collection<{ _id: string }>('api_keys')
      .updateOne({ _id: limited.id }, { $set: { scopes: ['policies.update'] } });
    await eventually(async () =>
      expect(errorOf(await world.app.graphql(RESET, { id }, limited.key))).toMatchObject({
        code: 'FORBIDDEN',
      }),
    );
    const ofWorkspace = `workspace:${world.app.workspaceId}:usage:requests:x:f:none`;
    await world.app.db.collection<{ _id: string }>('limit_counters').insertOne({
      ...(await world.app.db.collection<{ _id: string }>('limit_counters').findOne({ _id: id })),
      ...{ _id: ofWorkspace, limitId: `workspace:${world.app.workspaceId}:usage:requests:x` },
    });
    const key = await makeKey(world.app, 'workspace-service', { only: ['policies.update'] });
    expect(errorOf(await world.app.graphql(RESET, { id: ofWorkspace }, key))).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(dataOf(await world.app.graphql(RESET, { id: ofWorkspace })).resetLimitCounter).toMatchObject({
      used: 0,
    });
  });
});
