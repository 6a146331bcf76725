import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  counterById,
  countersOfLimit,
  editCounters,
  type RunningLimits,
  resetCounter,
  returnAbandoned,
} from '../../../src/limits/engine/index.ts';
import type { LimitAsk } from '../../../src/limits/engine.ts';
import type { Limit } from '../../../src/limits/limit.ts';
import { eventually } from '../../support/eventually.ts';
import { limitOf, startCounters, type TestCounters, taken } from './support.ts';

let counters: TestCounters;
beforeAll(async () => {
  counters = await startCounters();
});
afterAll(() => counters.stop());

const asksOf = (engine: RunningLimits, limit: Limit, amount: number, valueKey = ''): LimitAsk[] => [
  { counter: engine.counterOf(limit, valueKey, {}), amount },
];

async function spend(engine: RunningLimits, limit: Limit, amount: number, valueKey = ''): Promise<void> {
  (await taken(engine.take(asksOf(engine, limit, amount, valueKey)))).settle([amount]);
}

const reported = (limit: Limit, used: number) =>
  eventually(async () => {
    const [counter] = await countersOfLimit(counters.db(), limit, { first: 10 });
    expect(counter).toMatchObject({ used });
    return counter as NonNullable<typeof counter>;
  });

describe('an edit of the amount', () => {
  it('binds every process: what was leased before goes back', async () => {
    const before = limitOf({ amount: 10_000, waitMs: 0 });
    const [own, other] = [counters.engine(), counters.engine()];
    for (const engine of [own, other]) for (let call = 0; call < 20; call++) await spend(engine, before, 10);
    const after = { ...before, amount: 500, version: 2 };
    await editCounters(counters.db(), before, after);
    let admitted = 400;
    for (const engine of [own, other])
      for (let call = 0; call < 30; call++) {
        const outcome = await engine.take(asksOf(engine, after, 10));
        if ('settle' in outcome) {
          admitted += 10;
          outcome.settle([10]);
        }
      }
    expect(admitted).toBeLessThanOrEqual(500);
    await eventually(async () => {
      const outcome = await own.take(asksOf(own, after, 10));
      if ('settle' in outcome) {
        admitted += 10;
        outcome.settle([10]);
      }
      expect(admitted).toBe(500);
    });
    await eventually(async () =>
      expect(await own.take(asksOf(own, after, 10))).toMatchObject({ why: 'spent', used: 500 }),
    );
    const raised = { ...before, amount: 600, version: 3 };
    await editCounters(counters.db(), after, raised);
    await eventually(async () => spend(other, raised, 100));
    expect(await reported(raised, 600)).toMatchObject({ cap: 600, room: 0, ver: 3 });
  });

  it('reaches a counter that it missed, when a process with the new version comes by', async () => {
    const before = limitOf({ amount: 100, waitMs: 0 });
    const own = counters.engine();
    await spend(own, before, 60);
    const after = { ...before, amount: 70, version: 2 };
    expect(await own.take(asksOf(own, after, 40))).toMatchObject({
      why: expect.stringMatching(/spent|held/),
    });
    await eventually(async () => expect(await reported(after, 60)).toMatchObject({ cap: 70, ver: 2 }));
    await eventually(async () => spend(own, after, 10));
    expect(await own.take(asksOf(own, after, 1))).toMatchObject({ why: 'spent' });
  });

  it('changes how fast a bucket refills', async () => {
    const before = limitOf({
      kind: 'rate',
      unit: 'requests',
      amount: 5,
      window: { kind: 'bucket', seconds: 3600 },
      waitMs: 0,
    });
    const own = counters.engine();
    for (let call = 0; call < 5; call++) await spend(own, before, 1);
    expect(await own.take(asksOf(own, before, 1))).toMatchObject({ why: 'rate' });
    const after = { ...before, amount: 3_600_000, version: 2 };
    await editCounters(counters.db(), before, after);
    await eventually(async () => spend(own, after, 1000));
  });
});

describe('a reset', () => {
  it('makes a spent budget whole, and says what it was', async () => {
    const limit = limitOf({ amount: 100, waitMs: 0 });
    const own = counters.engine();
    await spend(own, limit, 100);
    expect(await own.take(asksOf(own, limit, 1))).toMatchObject({ why: 'spent' });
    const { _id } = await reported(limit, 100);
    expect(await resetCounter(counters.db(), 'another-organisation', _id)).toBeNull();
    expect(await resetCounter(counters.db(), limit.organisationId, _id)).toEqual({ before: 100, after: 0 });
    await eventually(async () => spend(own, limit, 100));
    expect(await reported(limit, 100)).toMatchObject({ gen: 1, room: 0 });
  });
});

describe('the pieces of a process that died', () => {
  it('come back when an administrator says so, and not those of the living', async () => {
    const limit = limitOf({ amount: 100, waitMs: 0 });
    const own = counters.engine();
    await spend(own, limit, 10);
    const { _id } = await reported(limit, 10);
    const dead = { s: 4, g: 50, u: 0, h: 20, t: new Date(Date.now() - 60_000) };
    await counters.raw().updateOne({ _id }, { $inc: { room: -50 }, $set: { 'L.dead-0': dead } });
    expect(await counterById(counters.db(), limit.organisationId, _id)).toMatchObject({
      abandoned: 50,
      remaining: 40,
    });
    expect(await counterById(counters.db(), 'another-organisation', _id)).toBeNull();
    expect(await returnAbandoned(counters.db(), 'another-organisation', _id)).toBeNull();
    expect(await returnAbandoned(counters.db(), limit.organisationId, _id)).toBe(50);
    expect(await returnAbandoned(counters.db(), limit.organisationId, _id)).toBe(0);
    await eventually(async () => spend(own, limit, 90));
  });

  it('come back by themselves where the limit says so, but for what calls had reserved', async () => {
    const limit = limitOf({ amount: 100, waitMs: 0, onCrash: 'return' });
    const own = counters.engine();
    await spend(own, limit, 10);
    const { _id } = await reported(limit, 10);
    const dead = { s: 4, g: 50, u: 0, h: 20, t: new Date(Date.now() - 60_000) };
    await counters.raw().updateOne({ _id }, { $inc: { room: -50 }, $set: { 'L.dead-0': dead } });
    await eventually(async () => spend(own, limit, 70));
    expect(await own.take(asksOf(own, limit, 1))).toMatchObject({ why: 'spent', used: 100 });
  });
});

it('counters of a limit are listed by value, in pages', async () => {
  const limit = limitOf({ amount: 100, groupBy: ['metadata._user'] });
  const own = counters.engine();
  for (const name of ['ada', 'alan', 'grace']) await spend(own, limit, 7, name);
  await eventually(async () => {
    const all = await countersOfLimit(counters.db(), limit, { first: 10 });
    expect(all.map(({ valueKey, used }) => [valueKey, used])).toEqual([
      ['ada', 7],
      ['alan', 7],
      ['grace', 7],
    ]);
  });
  const keys = async (page: Parameters<typeof countersOfLimit>[2]) =>
    (await countersOfLimit(counters.db(), limit, page)).map(({ valueKey }) => valueKey);
  expect(await keys({ first: 1 })).toEqual(['ada']);
  expect(await keys({ first: 5, after: 'ada' })).toEqual(['alan', 'grace']);
  expect(await keys({ first: 5, search: 'a' })).toEqual(['ada', 'alan']);
  expect(await keys({ first: 5, valueKeys: ['grace'] })).toEqual(['grace']);
});

describe('without the store', () => {
  it('each limit does what it is set to do, and what was used is reported afterwards', async () => {
    const [closed, open, local] = [
      limitOf({ amount: 1000 }),
      limitOf({ amount: 1000, onStoreLoss: 'open' }),
      limitOf({
        amount: 10,
        kind: 'rate',
        unit: 'requests',
        window: { kind: 'bucket', seconds: 3600 },
        waitMs: 0,
        onStoreLoss: 'local',
      }),
    ];
    const own = counters.engine();
    for (const limit of [closed, open, local]) await spend(own, limit, 1);
    await pause(1500);
    counters.breakStore(true);
    expect(await own.take(asksOf(own, closed, 500))).toMatchObject({ why: 'lost' });
    expect(own.isLost()).toBe(true);
    await spend(own, open, 500);
    for (let call = 0; call < 9; call++) await spend(own, local, 1);
    expect(await own.take(asksOf(own, local, 1))).toMatchObject({ why: expect.stringMatching(/rate|lost/) });
    counters.breakStore(false);
    await eventually(async () => spend(own, closed, 500));
    await reported(open, 501);
    await reported(closed, 501);
    await reported(local, 10);
  });

  it('a store that takes its time still says yes and no', async () => {
    const own = counters.engine();
    const [known, fresh] = [limitOf({ amount: 1000 }), limitOf({ amount: 1000 })];
    await spend(own, known, 1);
    await pause(1500);
    counters.slowStore(500);
    try {
      await spend(own, known, 900);
      await spend(own, fresh, 900);
      expect(await own.take(asksOf(own, fresh, 500))).toMatchObject({ why: 'spent' });
      expect(own.isLost()).toBe(false);
    } finally {
      counters.slowStore(0);
    }
  });
});
