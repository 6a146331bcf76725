import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningLimits } from '../../../src/limits/engine/index.ts';
import type { Limit } from '../../../src/limits/limit.ts';
import { eventually } from '../../support/eventually.ts';
import { limitOf, startCounters, type TestCounters, taken } from './support.ts';

let counters: TestCounters;
beforeAll(async () => {
  counters = await startCounters();
});
afterAll(() => counters.stop());

const HOUR_MS = 3_600_000;

/** A budget that begins anew with each second. */
const everySecond = () => limitOf({ amount: 100, waitMs: 10_000, window: { kind: 'fixed', seconds: 1 } });

const ask = (engine: RunningLimits, limit: Limit, amount: number) => {
  const counter = engine.counterOf(limit, '', {});
  return { counter, reserve: () => taken(engine.take([{ counter, amount }])) };
};

/** What the windows of a limit have used, of those that anything was used in, oldest first. */
const usedOf = async (limit: Limit): Promise<number[]> => {
  const documents = await counters.raw().find({ limitId: limit.id }).sort({ from: 1 }).toArray();
  for (const { cap, room, fill, L } of documents) {
    const leased = Object.values<any>(L).reduce((sum, { g, u }) => sum + g - u, 0);
    expect(room + fill + leased).toBe(cap);
    for (const { h } of Object.values<any>(L)) expect(h).toBe(0);
  }
  return documents.map(({ fill }) => fill).filter((fill) => fill > 0);
};

/** Until the window is over by which a process counts now. */
async function nextWindow(engine: RunningLimits, limit: Limit): Promise<void> {
  const endOf = () => engine.stateOf(engine.counterOf(limit, '', {})).resetsAt;
  const end = endOf();
  await eventually(async () => expect(endOf()).not.toBe(end));
}

const clocks: [string, () => number][] = [
  ['is right', Date.now],
  ['is an hour ahead', () => Date.now() + HOUR_MS],
  ['is an hour behind', () => Date.now() - HOUR_MS],
];

describe.each(clocks)('a process whose clock %s', (_how, now) => {
  it('counts a call in the window in which it began, however late it ends', async () => {
    const engine = counters.engine(now);
    const limit = everySecond();
    // What is known of the store's time.
    (await ask(engine, limit, 1).reserve()).settle([0]);
    const late = await ask(engine, limit, 80).reserve();
    await nextWindow(engine, limit);
    // The new window has all of its amount, whatever the old one holds.
    const next = await ask(engine, limit, 100).reserve();
    expect(next.isOpen && late.isOpen).toBe(true);
    late.settle([70]);
    late.settle([70]);
    await nextWindow(engine, limit);
    next.settle([30]);
    await engine.stop();
    expect(await usedOf(limit)).toEqual([70, 30]);
  });

  it('pays in the old window for a call that cost more than it had reserved', async () => {
    const engine = counters.engine(now);
    const limit = everySecond();
    (await ask(engine, limit, 1).reserve()).settle([0]);
    const late = await ask(engine, limit, 80).reserve();
    await nextWindow(engine, limit);
    late.settle([150]);
    (await ask(engine, limit, 100).reserve()).settle([100]);
    await engine.stop();
    const used = await usedOf(limit);
    expect(used).toEqual([150, 100]);
  });
});

it('two processes whose clocks are two hours apart share each window', async () => {
  const limit = limitOf({ amount: 100, waitMs: 0, window: { kind: 'fixed', seconds: 3600 } });
  const engines = clocks.slice(1).map(([, now]) => counters.engine(now));
  let admitted = 0;
  for (let round = 0; round < 15; round++)
    for (const engine of engines) {
      const { counter } = ask(engine, limit, 10);
      const outcome = await engine.take([{ counter, amount: 10 }]);
      if (!('settle' in outcome)) continue;
      outcome.settle([10]);
      admitted += 1;
    }
  await Promise.all(engines.map((engine) => engine.stop()));
  const used = await usedOf(limit);
  // At the turn of an hour there are two windows.
  expect(used.every((fill) => fill <= 100)).toBe(true);
  expect(used.reduce((sum, fill) => sum + fill, 0)).toBe(10 * admitted);
});
