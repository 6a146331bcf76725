import { RE2JS } from 're2js';
import { isObject } from '../lib/json.ts';
import { type FactLookup, type Facts, isPrimitive, lookupOf, type Primitive } from './facts.ts';

/** Whether a call meets a condition. */
export type Test = (facts: Facts) => boolean;

/** A condition's query, ready to run. */
export type CompiledQuery = {
  /** Null for a malformed query, which matches nothing. */
  test: Test | null;
  /** The reasons why the query may not be saved: it is malformed, or a part of it can never match. */
  problems: readonly string[];
};

export function compileQuery(query: Readonly<Record<string, unknown>>): CompiledQuery {
  const found = { malformed: [] as string[], futile: [] as string[] };
  const test = allOf(query, found);
  return { test: found.malformed.length > 0 ? null : test, problems: [...found.malformed, ...found.futile] };
}

type Findings = { malformed: string[]; futile: string[] };

const never: Test = () => false;

function allOf(query: Readonly<Record<string, unknown>>, found: Findings): Test {
  const tests = Object.entries(query).map(([key, expected]) => testOf(key, expected, found));
  return (facts) => tests.every((test) => test(facts));
}

function testOf(key: string, expected: unknown, found: Findings): Test {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(expected) || !expected.every(isObject)) {
      found.malformed.push(`${key} takes an array of queries`);
      return never;
    }
    const tests = expected.map((item) => allOf(item, found));
    return key === '$and'
      ? (facts) => tests.every((test) => test(facts))
      : (facts) => tests.some((test) => test(facts));
  }
  const lookup = lookupOf(key);
  if (typeof lookup !== 'function') {
    found.malformed.push(lookup.problem);
    return never;
  }
  return valueTest(key, lookup, expected, found);
}

/** A missing value matches nothing, whatever the operator. */
function valueTest(key: string, lookup: FactLookup, expected: unknown, found: Findings): Test {
  const checks = isObject(expected)
    ? Object.entries(expected).map(([operator, operand]) => checkOf(operator, operand, found))
    : [equals(key, expected, found)];
  return (facts) => {
    const actual = lookup(facts);
    return actual !== undefined && checks.every((check) => check(actual));
  };
}

type Check = (actual: Primitive) => boolean;

const neverCheck: Check = () => false;

function equals(key: string, expected: unknown, found: Findings): Check {
  if (isPrimitive(expected)) return (actual) => actual === expected;
  found.malformed.push(`${key} takes a plain value or operators`);
  return neverCheck;
}

const number = (value: unknown) => Number.parseFloat(String(value));

/** Operators that compare numbers; a comparison with NaN is false. */
const comparisons: Record<string, (actual: number, operand: number) => boolean> = {
  $gt: (actual, operand) => actual > operand,
  $gte: (actual, operand) => actual >= operand,
  $lt: (actual, operand) => actual < operand,
  $lte: (actual, operand) => actual <= operand,
};

function checkOf(operator: string, operand: unknown, found: Findings): Check {
  const compare = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined;
  if (compare) {
    const bound = number(operand);
    return (actual) => compare(number(actual), bound);
  }
  switch (operator) {
    case '$eq':
      return (actual) => actual === operand;
    case '$ne':
      return (actual) => actual !== operand;
    case '$in':
    case '$nin':
      return membership(operator, operand, found);
    case '$regex':
      return pattern(operand, found);
    default:
      found.malformed.push(`${operator} is not an operator`);
      return neverCheck;
  }
}

function membership(operator: '$in' | '$nin', operand: unknown, found: Findings): Check {
  if (!Array.isArray(operand)) {
    found.futile.push(`${operator} takes an array`);
    return neverCheck;
  }
  const members = new Set<unknown>(operand);
  return operator === '$in' ? (actual) => members.has(actual) : (actual) => !members.has(actual);
}

/** The most characters of a pattern. */
const MAX_PATTERN = 256;
/** Characters of a pattern times the numbers in its `{n,m}`: each repetition is compiled as often as it says. */
const MAX_SIZE = 10_000;
/**
 * The most steps of a match: the size of the pattern times the characters of the text. A longer text does not match.
 */
const MAX_WORK = 5_000_000;

function sizeOf(text: string): number {
  const counts = [...text.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least));
  return counts.reduce((size, count) => size * Math.max(1, count), text.length);
}

/** The engine takes linear time for every pattern; the bounds keep the factor small. */
function pattern(operand: unknown, found: Findings): Check {
  try {
    if (typeof operand !== 'string' || operand.length > MAX_PATTERN) throw new TypeError('no short text');
    const size = sizeOf(operand);
    if (size > MAX_SIZE) throw new RangeError('too many repetitions');
    const compiled = RE2JS.compile(operand);
    return (actual) => {
      const text = String(actual);
      return text.length * size <= MAX_WORK && compiled.matcher(text).find();
    };
  } catch {
    found.futile.push(
      `$regex takes a pattern as RE2 has it, of ${MAX_PATTERN} characters and few counted repetitions`,
    );
    return neverCheck;
  }
}
