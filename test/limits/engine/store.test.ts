import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningLimits } from '../../../src/limits/engine/index.ts';
import type { LimitAsk } from '../../../src/limits/engine.ts';
import type { Limit } from '../../../src/limits/limit.ts';
import { eventually } from '../../support/eventually.ts';
import { isTaken, limitOf, startCounters, type TestCounters, taken } from './support.ts';

let counters: TestCounters;
beforeAll(async () => {
  counters = await startCounters();
});
afterAll(() => counters.stop());

const engine = () => counters.engine();

const DAY_MS = 86_400_000;

const asksOf = (engine: RunningLimits, limit: Limit, amount: number, valueKey = ''): LimitAsk[] => [
  { counter: engine.counterOf(limit, valueKey, {}), amount },
];

const storedOf = async (limit: Limit) => {
  const documents = await counters.raw().find({ limitId: limit.id }).toArray();
  for (const { cap, room, fill, L } of documents) {
    const leased = Object.values<any>(L).reduce((sum, { g, u }) => sum + g - u, 0);
    expect(room + fill + leased).toBe(cap);
  }
  return documents;
};

describe('a budget', () => {
  it('is used up to its last unit by two processes, and never beyond', async () => {
    const limit = limitOf({ amount: 1000, waitMs: 3000 });
    const [one, other] = [engine(), engine()];
    let spent = 0;
    let refused = 0;
    const call = async (engine: RunningLimits) => {
      const outcome = await engine.take(asksOf(engine, limit, 10));
      if (!isTaken(outcome)) {
        refused += 1;
        return;
      }
      await pause(5 + Math.random() * 20);
      spent += 4;
      outcome.settle([4]);
    };
    await Promise.all(Array.from({ length: 400 }, (_, index) => call(index % 2 ? one : other)));
    expect(spent).toBeLessThanOrEqual(1000);
    expect(spent).toBeGreaterThanOrEqual(988);
    expect(refused).toBe(400 - spent / 4);
    await Promise.all([one.stop(), other.stop()]);
    const [document] = await storedOf(limit);
    expect(document).toMatchObject({ fill: spent, room: 1000 - spent, L: {} });
  });

  it('says whether it is spent, held by others or too small for the call', async () => {
    const limit = limitOf({ amount: 100, waitMs: 50 });
    const own = engine();
    expect(await own.take(asksOf(own, limit, 101))).toMatchObject({ why: 'never' });
    const first = await taken(own.take(asksOf(own, limit, 80)));
    expect(await own.take(asksOf(own, limit, 30))).toMatchObject({ why: 'held', held: 80 });
    first.settle([75]);
    expect(first.isOpen).toBe(false);
    first.settle([75]);
    expect(await own.take(asksOf(own, limit, 30))).toMatchObject({
      why: 'spent',
      used: 75,
      availableAt: null,
    });
    (await taken(own.take(asksOf(own, limit, 25)))).settle([25]);
    expect(own.look(asksOf(own, limit, 0))).toMatchObject({ why: 'spent' });
    expect(own.stateOf(own.counterOf(limit, '', {}))).toMatchObject({ amount: 100, used: 100, remaining: 0 });
  });

  it('takes from several counters at once or from none', async () => {
    const [wide, narrow] = [limitOf({ amount: 1000, waitMs: 0 }), limitOf({ amount: 10, waitMs: 0 })];
    const own = engine();
    const both = (amount: number) => [...asksOf(own, wide, amount), ...asksOf(own, narrow, amount)];
    expect(await own.take(both(11))).toMatchObject({ why: 'never', ask: { amount: 11 } });
    const reservation = await taken(own.take(both(10)));
    expect(await own.take(both(5))).toMatchObject({ why: 'held' });
    reservation.settle([10, 0]);
    (await taken(own.take(both(5)))).settle([5, 5]);
    expect(own.stateOf(own.counterOf(wide, '', {}))).toMatchObject({ used: 15, held: 0 });
    await own.stop();
    expect(await storedOf(wide)).toMatchObject([{ fill: 15, L: {} }]);
    expect(await storedOf(narrow)).toMatchObject([{ fill: 5, L: {} }]);
  });

  it('counts a call that cost more than it had reserved, and admits nobody until it is paid', async () => {
    const limit = limitOf({ amount: 100, waitMs: 0 });
    const [own, other] = [engine(), engine()];
    (await taken(own.take(asksOf(own, limit, 60)))).settle([130]);
    expect(await own.take(asksOf(own, limit, 1))).toMatchObject({ why: 'spent', used: 130 });
    await eventually(async () => expect(await storedOf(limit)).toMatchObject([{ fill: 130, overshoot: 70 }]));
    expect(await other.take(asksOf(other, limit, 1))).toMatchObject({ why: 'spent', used: 130 });
  });

  it('keeps apart what is a bound, since nobody said what was used', async () => {
    const limit = limitOf({ amount: 100 });
    const own = engine();
    (await taken(own.take(asksOf(own, limit, 50)))).settle([20], { uncertain: true });
    (await taken(own.take(asksOf(own, limit, 50)))).settle([3]);
    await own.stop();
    expect(await storedOf(limit)).toMatchObject([{ fill: 23, uncertain: 20 }]);
  });

  it('wakes a call that waits when another one ends', async () => {
    const limit = limitOf({ amount: 10, waitMs: 5000 });
    const [own, other] = [engine(), engine()];
    const first = await taken(own.take(asksOf(own, limit, 10)));
    const waiting = [own.take(asksOf(own, limit, 4)), other.take(asksOf(other, limit, 4))];
    await pause(50);
    const ended = performance.now();
    first.settle([2]);
    for (const outcome of waiting) (await taken(outcome)).settle([4]);
    expect(performance.now() - ended).toBeLessThan(1500);
  });

  it('belongs to the window of the store, whatever the clock of the process says', async () => {
    const limit = limitOf({ amount: 10, window: { kind: 'monthly' } });
    const [ahead, right] = [counters.engine(() => Date.now() + 40 * DAY_MS), engine()];
    (await taken(ahead.take(asksOf(ahead, limit, 6)))).settle([6]);
    expect(await right.take(asksOf(right, limit, 6))).toMatchObject({
      why: expect.stringMatching(/spent|held/),
    });
    expect(Math.abs(ahead.clockSkew() - 40 * DAY_MS)).toBeLessThan(10_000);
    expect(Math.abs(right.clockSkew())).toBeLessThan(10_000);
    await Promise.all([ahead.stop(), right.stop()]);
    const now = new Date();
    const used = (await storedOf(limit)).filter(({ fill }) => fill > 0);
    expect(used).toMatchObject([{ fill: 6, from: Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) }]);
  });

  it('lets a call that gives up leave, which then holds nothing', async () => {
    const limit = limitOf({ amount: 10, waitMs: 60_000 });
    const own = engine();
    const first = await taken(own.take(asksOf(own, limit, 10)));
    const gone = new AbortController();
    const waiting = own.take(asksOf(own, limit, 10), gone);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    first.settle([0]);
    (await taken(own.take(asksOf(own, limit, 10)))).settle([0]);
  });
});

describe('a rate', () => {
  it('admits its capacity at once, and then as fast as it refills', async () => {
    const limit = limitOf({
      kind: 'rate',
      unit: 'requests',
      amount: 50,
      window: { kind: 'bucket', seconds: 1 },
      waitMs: 0,
    });
    const [own, other] = [engine(), engine()];
    const admitted: number[] = [];
    const begun = performance.now();
    const worker = async (engine: RunningLimits) => {
      while (performance.now() - begun < 4000) {
        const outcome = await engine.take(asksOf(engine, limit, 1));
        if (isTaken(outcome)) {
          admitted.push(performance.now());
          outcome.settle([1]);
        } else expect(outcome).toMatchObject({ why: 'rate' });
        await pause(4);
      }
    };
    await Promise.all([own, own, other, other].map(worker));
    for (const [index, from] of admitted.entries())
      for (const [later, until] of admitted.entries())
        if (later >= index)
          expect(later - index + 1).toBeLessThanOrEqual(50 + (50 * (until - from)) / 1000 + 1);
    expect(admitted.length).toBeGreaterThan(150);
  });
});
