import { expect, test } from '@jest/globals';
import { changesBetween } from '../../scripts/codegen/changes.ts';

test.each([
  ['nothing', { a: [{ b: 1 }] }, { a: [{ b: 1 }] }, []],
  ['a value', { a: { b: 'x' } }, { a: { b: 2 } }, ['  a › b: "x" became 2']],
  ['what is gone', { a: { b: {} } }, { a: {} }, ['  a › b: {} became nothing']],
  ['what is new', { a: {} }, { a: { b: true } }, ['  a › b: nothing became true']],
  ['a list', { a: ['x', 'y'] }, { a: ['y', 'z'] }, ['  a: lost "x", gained "z"']],
  ['an order', { a: ['x', 'y'] }, { a: ['y', 'x'] }, ['  a: another order']],
  ['inside a list', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, ['  a › 0 › b: 1 became 2']],
])('a difference is named by its place: %s', (_what, before, after, lines) => {
  expect(changesBetween(JSON.stringify(before), JSON.stringify(after))).toEqual(lines);
});

test('everything is new where nothing was', () => {
  expect(changesBetween('', '{"a":1}')).toEqual(['  a: nothing became 1']);
});
