import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { base, scenarios } from '../../../bench/limits/scenarios.ts';
import { inDatabase } from '../../../bench/limits/simulated-store.ts';
import { simulate } from '../../../bench/limits/simulator.ts';
import { createCounterStore } from '../../../src/limits/engine/index.ts';
import { isLong, rounds } from '../../support/long.ts';
import { startCounters, type TestCounters } from './support.ts';

let counters: TestCounters;
beforeAll(async () => {
  counters = await startCounters();
});
afterAll(() => counters.stop());

const none = { overspent: 0, overcommitted: 0 };
const calm = Object.entries(scenarios).filter(([, { hasKills }]) => !hasKills);
const kills = Object.entries(scenarios).filter(([, { hasKills }]) => hasKills);

/** Of a smaller budget, what a stopped process holds is a larger part. */
const secondsOf = (name: string): number => rounds(/stopped|rate/.test(name) ? 40 : 15, 40);

test.each(calm)(
  '%s: nothing is overspent, and hardly anything is left',
  async (name, scenario) => {
    const { utilisation, ...outcome } = await simulate(scenario(1, 3, secondsOf(name)));
    expect(outcome).toMatchObject(none);
    expect(utilisation).toBeGreaterThanOrEqual(0.99);
  },
  60_000,
);

test.each(kills)(
  '%s: nothing is overspent',
  async (_name, scenario) => {
    const outcome = await simulate(scenario(1, 3, 20));
    expect(outcome).toMatchObject(none);
    expect(outcome.kills).toBeGreaterThan(3);
  },
  60_000,
);

// A thousand processes answer as one would; there is time for them where the random tests run at full length.
(isLong ? test : test.skip).each(Object.entries(scenarios))(
  '%s: so with a hundred processes',
  async (_name, scenario) => {
    const { utilisation, ...outcome } = await simulate(scenario(1, 100, 10));
    expect(outcome).toMatchObject(none);
    expect(utilisation).toBeGreaterThanOrEqual(0.9);
  },
  900_000,
);

test('a real store ends as the one in memory does', async () => {
  const scenario = base(1, 3, rounds(2, 20));
  const outcome = await simulate(scenario, inDatabase(createCounterStore(counters.db)));
  expect(outcome).toMatchObject(none);
  expect(outcome).toEqual(await simulate(scenario));
}, 120_000);
