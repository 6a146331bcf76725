import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { draw } from '../../../src/dataplane/strategy/draw.ts';
import type { Facts } from '../../../src/routing-config/facts.ts';
import { compileQuery } from '../../../src/routing-config/query.ts';

type Query = Record<string, unknown>;

/** Whether facts meet a query, once more, as slowly and plainly as it can be said. */
function meets(query: Query, facts: Facts): boolean {
  for (const [key, expected] of Object.entries(query)) {
    if (key === '$and') {
      for (const part of expected as Query[]) if (!meets(part, facts)) return false;
      continue;
    }
    if (key === '$or') {
      let some = false;
      for (const part of expected as Query[]) some = meets(part, facts) || some;
      if (!some) return false;
      continue;
    }
    const actual = actualOf(key, facts);
    if (actual === undefined) return false;
    const operators = typeof expected === 'object' && expected !== null ? expected : { $eq: expected };
    for (const [operator, operand] of Object.entries(operators)) {
      if (!holds(operator, actual, operand)) return false;
    }
  }
  return true;
}

function actualOf(key: string, { metadata, params, headers, pathname }: Facts): unknown {
  if (key === 'url.pathname') return pathname;
  const [root, name = ''] = key.split('.');
  if (root === 'headers') return headers[name.toLowerCase()];
  const value = (root === 'metadata' ? metadata : params)[name];
  return typeof value === 'object' && value !== null ? undefined : value;
}

function holds(operator: string, actual: unknown, operand: unknown): boolean {
  const [left, right] = [Number.parseFloat(String(actual)), Number.parseFloat(String(operand))];
  if (operator === '$eq') return actual === operand;
  if (operator === '$ne') return actual !== operand;
  if (operator === '$gt') return left > right;
  if (operator === '$gte') return left >= right;
  if (operator === '$lt') return left < right;
  if (operator === '$lte') return left <= right;
  if (operator === '$in') return Array.isArray(operand) && operand.includes(actual);
  if (operator === '$nin') return Array.isArray(operand) && !operand.includes(actual);
  try {
    return new RegExp(String(operand), 'u').test(String(actual));
  } catch {
    return false;
  }
}

// Few names and values, so that conditions are met about as often as not.
const text = fc.constantFrom('', 'a', 'pro', '1', '2', '10', '1.5e1', 'NaN', 'Ä');
const primitive = fc.oneof(text, fc.constantFrom<unknown>(0, 1, 2, 10, true, false, null));
const pattern = fc.constantFrom('a', '^p', 'o$', '^$', '.', '[0-9]+', '(', '\\d', 'Ä');
const operators = fc
  .record(
    {
      $eq: primitive,
      $ne: primitive,
      $gt: primitive,
      $gte: primitive,
      $lt: primitive,
      $lte: primitive,
      $in: fc.oneof(fc.array(primitive), text),
      $nin: fc.oneof(fc.array(primitive), text),
      $regex: pattern,
    },
    { requiredKeys: [] },
  )
  .filter((given) => Object.keys(given).length > 0);
const key = fc.constantFrom(
  'metadata.plan',
  'metadata.age',
  'params.model',
  'params.n',
  'params.stop',
  'headers.x-plan',
  'headers.X-Plan',
  'headers.missing',
  'url.pathname',
);
const { query } = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'small' },
    fc.dictionary(key, fc.oneof(primitive, operators), { maxKeys: 2 }),
    fc.record({ $and: fc.array(tie('query'), { maxLength: 3 }) }),
    fc.record({ $or: fc.array(tie('query'), { maxLength: 3 }) }),
  ),
}));
const facts: fc.Arbitrary<Facts> = fc.record({
  metadata: fc.record({ plan: text, age: text }, { requiredKeys: [] }),
  params: fc.record({ model: primitive, n: primitive, stop: fc.constant(['a']) }, { requiredKeys: [] }),
  headers: fc.record({ 'x-plan': text }, { requiredKeys: [] }),
  pathname: fc.constantFrom('/v1/chat/completions', '/v1/a'),
});

test('conditions mean what the plain reading says of them', () => {
  fc.assert(
    fc.property(query, facts, (given, known) => {
      const { test: compiled } = compileQuery(given);
      expect(compiled?.(known)).toBe(meets(given, known));
    }),
    { numRuns: 2000 },
  );
});

test('a malformed part makes the whole condition one to skip, wherever it stands', () => {
  const malformed = fc.constantFrom<Query>(
    { 'metadata.plan': { $like: 'a' } },
    { plan: 'a' },
    { $and: 'a' },
    { 'metadata.a.b': 'x' },
    { 'headers.cookie': 'x' },
    { 'metadata.plan': ['a'] },
  );
  fc.assert(
    fc.property(query, malformed, (given, broken) => {
      expect(compileQuery({ $or: [given, { $and: [broken] }] }).test).toBeNull();
      expect(compileQuery({ $or: [given, broken] }).problems.length).toBeGreaterThan(0);
    }),
  );
});

describe('weighted draws', () => {
  /** mulberry32: the same numbers for the same seed. */
  const seeded = (seed: number) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  test.each([
    { weights: [1, 1], seed: 1 },
    { weights: [7, 2, 1], seed: 2 },
    { weights: [0.5, 0, 0.25, 0.25], seed: 3 },
    { weights: [1e-9, 1e9], seed: 4 },
    { weights: [5, 3, 3, 2, 1, 1], seed: 5 },
  ])('weights $weights are met (chi-squared, seed $seed)', ({ weights, seed }) => {
    const draws = 100_000;
    const random = seeded(seed);
    const places = weights.map((_weight, index) => index);
    const counts = weights.map(() => 0);
    for (let index = 0; index < draws; index++) {
      const place = draw(weights, places, random);
      counts[place] = (counts[place] ?? 0) + 1;
    }
    const sum = weights.reduce((one, other) => one + other);
    const chiSquared = weights.reduce((total, weight, index) => {
      const expected = (draws * weight) / sum;
      const count = counts[index] ?? 0;
      if (expected < 1) {
        expect(count).toBeLessThanOrEqual(1);
        return total;
      }
      return total + (count - expected) ** 2 / expected;
    }, 0);
    // Five degrees of freedom exceed 20.5 once in a thousand seeds; the seeds are fixed.
    expect(chiSquared).toBeLessThan(20.5);
  });

  test('only among the places that are given, and by a draw from [0, sum)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 63 }),
        fc.integer({ min: 0, max: 999 }),
        (weights, mask, thousandth) => {
          const places = weights.map((_weight, index) => index).filter((index) => mask & (1 << index));
          const sumOf = (some: number[]) => some.reduce((total, place) => total + (weights[place] ?? 0), 0);
          // Never on the border between two places, where rounding would decide.
          const random = (thousandth + 0.000001) / 1000;
          const exceeds = (_place: number, turn: number) =>
            sumOf(places.slice(0, turn + 1)) > random * sumOf(places);
          expect(draw(weights, places, () => random)).toBe(places.find(exceeds) ?? -1);
        },
      ),
    );
  });
});
