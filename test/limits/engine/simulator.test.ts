import { expect, test } from '@jest/globals';
import { scenarios } from '../../../bench/limits/scenarios.ts';
import { simulate } from '../../../bench/limits/simulator.ts';

const calm = Object.entries(scenarios).filter(([, { killEveryMs }]) => !killEveryMs);

// A budget of 40 seconds of demand: of a smaller one, what a stopped process holds is a larger part.
test.each(calm)('%s: nothing is overspent, and hardly anything is left', (_name, scenario) => {
  const { overspent, overcommitted, utilisation } = simulate(scenario(1, 3, 40));
  expect({ overspent, overcommitted }).toEqual({ overspent: 0, overcommitted: 0 });
  expect(utilisation).toBeGreaterThanOrEqual(0.99);
});
