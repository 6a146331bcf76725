import { expect, test } from '@jest/globals';
import { Sorter } from '../../../src/storage/embedded/plan/sorter.ts';
import { seededRandom } from './support.ts';

const fields = [
  { path: 'a', descending: false },
  { path: 'b', descending: true },
];

test.each([
  [10, 0],
  [30_000, 0],
  [30_000, 7],
  [30_000, 9_000],
  [30_000, 40_000],
])('%d items with a limit of %d come in order, equal ones as they arrived', (count, limit) => {
  const random = seededRandom(count + limit);
  const sorter = new Sorter<number[]>(fields, limit);
  const items = Array.from({ length: count }, (_, i) => [
    Math.floor(random() * 50),
    Math.floor(random() * 50),
    i,
  ]);
  for (const item of items) sorter.add(item.slice(0, 2), item, 10);
  const batches = [...sorter.batches()];
  const expected = items.toSorted(
    (x, y) => Number(x[0]) - Number(y[0]) || Number(y[1]) - Number(x[1]) || Number(x[2]) - Number(y[2]),
  );
  expect(batches.flat()).toEqual(limit > 0 ? expected.slice(0, limit) : expected);
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(512);
});
