import { expect, test } from '@jest/globals';
import { addSums, emptyTally, sums } from '../../src/recording/rollups/tally.ts';

test('each sum is added to the one of its name', () => {
  const tally = emptyTally();
  const numbers = sums.map((_, index) => index + 1);
  addSums(tally, numbers);
  addSums(tally, numbers);
  expect(sums.map((name) => tally[name])).toEqual(numbers.map((number) => 2 * number));
});
