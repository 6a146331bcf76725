import { expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { uriWith } from '../../../scripts/conformance/entities.ts';
import { EntityMap } from '../../../scripts/conformance/entity-map.ts';
import { match } from '../../../scripts/conformance/matching.ts';
import type { Place } from '../../../scripts/conformance/place.ts';
import { Mismatch } from '../../../scripts/conformance/problems.ts';
import { compareVersions } from '../../../scripts/conformance/requirements.ts';

const { Decimal128, Double, Int32, Long } = BSON;

function isMatch(expected: unknown, actual: unknown, root: Place['root'] = 'document'): boolean {
  try {
    match(expected, actual, { path: 'value', root, entities: new EntityMap() });
    return true;
  } catch (error) {
    if (error instanceof Mismatch) return false;
    throw error;
  }
}

test.each([
  ['numbers of any type with one value', new Int32(1), 1, true],
  ['a long beyond what doubles hold', Long.fromString('9007199254740993'), 9007199254740993n, true],
  ['a long and the double beside it', Long.fromString('9007199254740993'), 9007199254740992, false],
  ['numbers of different values', new Double(1.5), 1, false],
  ['a decimal and another number', Decimal128.fromString('1'), 1, false],
  ['a number and its text', '1', 1, false],
  ['null and nothing', null, undefined, false],
  ['keys in another order', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }, true],
  ['a map for a document', { a: 1 }, new Map([['a', 1]]), true],
  ['arrays of different lengths', [1], [1, 2], false],
  ['an existing null', { a: { $$exists: true } }, { a: null }, true],
  ['one of several types', { a: { $$type: ['string', 'long'] } }, { a: 1n }, true],
  ['a type that an element has', { a: { $$type: 'int' } }, { a: [1] }, false],
  ['a field that may be unset', { a: { $$unsetOrMatches: { b: 1 } } }, {}, true],
  ['a field that may be unset and is wrong', { a: { $$unsetOrMatches: { b: 1 } } }, { a: { b: 2 } }, false],
  ['a limit', { $$lte: new Int32(5) }, 5, true],
  ['more than a limit', { $$lte: new Int32(5) }, 5.1, false],
  ['a document as text', { a: { $$matchAsDocument: { b: new Int32(1) } } }, { a: '{"b": 1}' }, true],
  ['more in a document as text', { a: { $$matchAsDocument: { b: 1 } } }, { a: '{"b": 1, "c": 1}' }, false],
  ['more in an inner root document', { a: { $$matchAsRoot: { b: 1 } } }, { a: { b: 1, c: 1 } }, true],
])('matching: %s', (_name, expected, actual, isExpected) => {
  expect(isMatch(expected, actual)).toBe(isExpected);
});

test('only root-level documents may have more fields than expected', () => {
  expect(isMatch({ a: 1 }, { a: 1, b: 2 })).toBe(true);
  expect(isMatch([{ a: 1 }], [{ a: 1, b: 2 }])).toBe(false);
  expect(isMatch([{ a: 1 }], [{ a: 1, b: 2 }], 'elements')).toBe(true);
  expect(isMatch([{ a: { b: 1 } }], [{ a: { b: 1, c: 1 } }], 'elements')).toBe(false);
});

test('versions compare number by number', () => {
  expect(compareVersions([8, 0, 10], [8, 0, 9])).toBeGreaterThan(0);
  expect(compareVersions([8, 0, 0], [8])).toBe(0);
  expect(compareVersions([4, 4, 0], [8, 0])).toBeLessThan(0);
});

test('options of a test take the place of those of the connection string', () => {
  const uri = 'mongodb://host:1/db?w=1&appName=a';
  expect(uriWith(uri, { w: 'majority' })).toBe('mongodb://host:1/db?appName=a&w=majority');
  expect(uriWith('mongodb://a,b', { w: 1 })).toBe('mongodb://a,b/?w=1');
});
