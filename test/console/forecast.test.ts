import { expect, it, test } from '@jest/globals';
import { forecastOf, monthOf } from '../../console/src/pages/spend/parts/forecast.ts';

const DAY_MS = 24 * 3_600_000;
const at = (text: string) => Date.parse(text);

test.each([
  ['2026-11-28T11:00:00Z', '2026-11-01T00:00:00Z', 30],
  ['2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z', 31],
  ['2028-02-01T00:00:00Z', '2028-02-01T00:00:00Z', 29],
])('the month of %s begins at %s and has %i days', (moment, from, days) => {
  const month = monthOf(at(moment), 'utc');
  expect(month).toEqual({ from: at(from), to: at(from) + days * DAY_MS });
});

it('the month of this place begins when its clocks say so', () => {
  const { from, to } = monthOf(at('2026-11-15T12:00:00Z'), 'local');
  expect([new Date(from).getDate(), new Date(from).getHours(), new Date(to).getMonth()]).toEqual([1, 0, 11]);
});

it('a month goes on as until now, and its first day says nothing', () => {
  const month = { from: 0, to: 30 * DAY_MS };
  expect(forecastOf(100, month, 10 * DAY_MS)).toBe(300);
  expect(forecastOf(100, month, 30 * DAY_MS)).toBe(100);
  expect(forecastOf(100, month, DAY_MS)).toBe(3000);
  expect(forecastOf(100, month, DAY_MS - 1)).toBeNull();
});
