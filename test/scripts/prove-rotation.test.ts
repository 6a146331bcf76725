import { expect, test } from '@jest/globals';
import { type Call, countsOf, wrongOnes } from '../../scripts/prove-rotation/judge.ts';

const end = 1000;
const call = (secret: Call['secret'], sentAt: number, answeredAt: number, status: number): Call => ({
  url: 'http://one',
  secret,
  sentAt,
  answeredAt,
  status,
});

test.each([
  ['the old secret accepted before the end', call('old', 10, 999, 200)],
  ['the old secret accepted across the end', call('old', 999, 1000, 200)],
  ['the old secret refused across the end', call('old', 999, 1000, 401)],
  ['the old secret refused after the end', call('old', 1000, 1001, 401)],
  ['the new secret accepted after the end', call('new', 1000, 1001, 200)],
])('the proof of rotation allows %s', (_what, one) => {
  expect(wrongOnes([one], end)).toEqual([]);
});

test.each([
  ['the old secret refused before the end', call('old', 10, 999, 401)],
  ['the old secret accepted after the end', call('old', 1000, 1001, 200)],
  ['the new secret refused', call('new', 10, 20, 401)],
  ['a broken connection', call('new', 10, 20, 0)],
  ['an error across the end', call('old', 999, 1000, 500)],
])('the proof of rotation notices %s', (_what, one) => {
  expect(wrongOnes([one], end)).toEqual([one]);
});

test('the proof of rotation counts by process what it has seen', () => {
  const calls = [call('old', 10, 20, 200), call('old', 1000, 1001, 401), call('new', 10, 20, 200)];
  const elsewhere = { ...call('new', 10, 20, 200), url: 'http://two' };
  expect(countsOf([elsewhere, ...calls], end)).toEqual([
    { url: 'http://one', accepted: 1, refused: 1, withNew: 1 },
    { url: 'http://two', accepted: 0, refused: 0, withNew: 1 },
  ]);
});
