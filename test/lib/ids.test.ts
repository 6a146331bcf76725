import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { slugFrom, takeRandomBytes, uuid } from '../../src/lib/ids.ts';

test.each([
  ['My Config!', /^my-config-[0-9a-f]{6}$/],
  ['  Évaluation № 2 ', /^e-valuation-no-2-[0-9a-f]{6}$/],
  ['模型', /^[0-9a-f]{6}$/],
  [`${'long '.repeat(60)}name`, /^long(-long){7}-[0-9a-f]{6}$/],
])('a slug made from %j can be read', (name, slug) => {
  expect(slugFrom(name)).toMatch(slug);
});

test('a slug is within 50 characters of [a-z0-9_-], whatever the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 255 }), (name) => {
      expect(slugFrom(name, 'ws-')).toMatch(/^ws-[a-z0-9_-]{6,47}$/);
    }),
  );
});

/** More than a pool of random bytes makes, and more than are counted within one millisecond. */
const MANY = 20_000;
const many = () => Array.from({ length: MANY }, uuid);
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

test('an id is a UUID of version 7 that says when it was made', () => {
  const before = Date.now();
  const id = uuid();
  expect(timeOf(id)).toBeGreaterThanOrEqual(before);
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(many().filter((each) => !form.test(each))).toEqual([]);
});

test('ids sort in the order they were made, also within one millisecond and when the clock goes back', () => {
  const clock = jest.spyOn(Date, 'now');
  const now = Date.now();
  const ids = [now + 1, now + 1, now - 1000, now + 5].flatMap((time) => {
    clock.mockReturnValue(time);
    return many();
  });
  clock.mockRestore();
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

test('no random part comes twice, and each of its digits takes each value', () => {
  const parts = many().map((id) => id.slice(19));
  expect(new Set(parts).size).toBe(MANY);
  for (const place of [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
    expect(new Set(parts.map((part) => part[place])).size).toBe(16);
});

test('random bytes are given out once', () => {
  // Together far more than are asked of the system at a time.
  const taken = Array.from({ length: 2000 }, () => takeRandomBytes(12).toString('hex'));
  expect(new Set(taken).size).toBe(2000);
  expect(takeRandomBytes(5000)).toHaveLength(5000);
});
