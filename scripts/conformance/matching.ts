import type { Document } from 'mongodb';
import { fail, type Place } from './place.ts';
import { RunnerError } from './problems.ts';
import { operators } from './special-operators.ts';
import { canonical, isDocument, numericValue, show } from './values.ts';

/** Asserts that an actual value is as expected, by the format's rules; throws a Mismatch otherwise. */
export function match(expected: unknown, given: unknown, place: Place): void {
  // The driver keeps ordered specifications and numbered results as maps.
  const actual = given instanceof Map ? Object.fromEntries(given) : given;
  const operator = specialOperator(expected);
  if (operator) operator.run(operator.argument, actual, place, match);
  else if (actual === undefined) fail(place, `expected ${show(expected)}, there is nothing`);
  else if (Array.isArray(expected)) matchArray(expected, actual, place);
  else if (isDocument(expected)) matchDocument(expected, actual, place);
  else if (!equalScalars(expected, actual)) {
    fail(place, `expected ${show(expected)}, got ${show(actual)}`);
  }
}

function specialOperator(expected: unknown) {
  if (!isDocument(expected)) return undefined;
  const [name, ...others] = Object.keys(expected);
  if (!name?.startsWith('$$') || others.length > 0) return undefined;
  const run = operators[name];
  if (!run) throw new RunnerError(`Unknown special operator: ${name}.`);
  return { run, argument: expected[name] as unknown };
}

function matchArray(expected: unknown[], actual: unknown, place: Place): void {
  if (!Array.isArray(actual)) fail(place, `expected an array, got ${show(actual)}`);
  if (actual.length !== expected.length) {
    fail(place, `expected ${expected.length} elements, got ${actual.length}: ${show(actual)}`);
  }
  const root = place.root === 'elements' ? 'document' : 'none';
  for (const [index, element] of expected.entries()) {
    match(element, actual[index], { ...place, path: `${place.path}[${index}]`, root });
  }
}

function matchDocument(expected: Document, actual: unknown, place: Place): void {
  if (!isDocument(actual)) fail(place, `expected a document, got ${show(actual)}`);
  for (const [key, value] of Object.entries(expected)) {
    match(value, actual[key], { ...place, path: `${place.path}.${key}`, root: 'none' });
  }
  if (place.root === 'document') return;
  const extra = Object.keys(actual).filter(
    (key) => actual[key] !== undefined && !Object.hasOwn(expected, key),
  );
  if (extra.length > 0) fail(place, `unexpected field ${extra.join(', ')} in ${show(actual)}`);
}

/** Numbers are equal across types, except for Decimal128; everything else needs the same type and value. */
function equalScalars(expected: unknown, actual: unknown): boolean {
  const expectedNumber = numericValue(expected);
  const actualNumber = numericValue(actual);
  if (expectedNumber === undefined || actualNumber === undefined) {
    return canonical(expected) === canonical(actual);
  }
  // A bigint and a number are never identical; two bounds compare them exactly.
  return (
    Object.is(expectedNumber, actualNumber) ||
    (expectedNumber <= actualNumber && expectedNumber >= actualNumber)
  );
}
