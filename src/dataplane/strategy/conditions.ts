import { RE2JS } from 're2js';
import type { Call } from '../call.ts';
import type { Condition } from '../config/plan.ts';

/** Index of the first condition that holds, or -1 (spec/data-plane.md, section 2.5). */
export const firstMatch = (conditions: readonly Condition[], call: Call): number =>
  conditions.findIndex(({ query }) => matches(query, call));

function matches(query: Record<string, unknown>, call: Call): boolean {
  return Object.entries(query).every(([key, expected]) => {
    if (key === '$and') return asQueries(expected).every((item) => matches(item, call));
    if (key === '$or') return asQueries(expected).some((item) => matches(item, call));
    const actual = lookUp(key, call);
    if (actual === undefined) return false;
    return isObject(expected) ? matchesOperators(expected, actual) : actual === expected;
  });
}

const asQueries = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Primitive = string | number | boolean | null;

/** `metadata.<key>`, `params.<body key>` or `url.pathname`; only primitives can be compared. */
function lookUp(key: string, call: Call): Primitive | undefined {
  const dot = key.indexOf('.');
  const [root, name] = [key.slice(0, dot), key.slice(dot + 1)];
  if (root === 'metadata') return ownValue(call.metadata, name);
  if (root === 'params') return call.body.kind === 'json' ? ownValue(call.body.value, name) : undefined;
  return key === 'url.pathname' ? `/v1${call.path}` : undefined;
}

function ownValue(holder: Record<string, unknown>, name: string): Primitive | undefined {
  if (!Object.hasOwn(holder, name)) return undefined;
  const value = holder[name];
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? (value as Primitive)
    : undefined;
}

function matchesOperators(operators: Record<string, unknown>, actual: Primitive): boolean {
  return Object.entries(operators).every(([operator, operand]) => compare(operator, actual, operand));
}

function compare(operator: string, actual: Primitive, operand: unknown): boolean {
  switch (operator) {
    case '$eq':
      return actual === operand;
    case '$ne':
      return actual !== operand;
    case '$gt':
      return Number.parseFloat(String(actual)) > Number.parseFloat(String(operand));
    case '$gte':
      return Number.parseFloat(String(actual)) >= Number.parseFloat(String(operand));
    case '$lt':
      return Number.parseFloat(String(actual)) < Number.parseFloat(String(operand));
    case '$lte':
      return Number.parseFloat(String(actual)) <= Number.parseFloat(String(operand));
    case '$in':
      return Array.isArray(operand) && operand.includes(actual);
    case '$nin':
      return Array.isArray(operand) && !operand.includes(actual);
    case '$regex':
      return matchesPattern(String(actual), operand);
    default:
      return false;
  }
}

/** Linear time whatever the pattern; one that is not valid matches nothing. */
function matchesPattern(text: string, pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false;
  return patternOf(pattern)?.matcher(text).find() ?? false;
}

const patterns = new Map<string, RE2JS | null>();

function patternOf(source: string): RE2JS | null {
  let compiled = patterns.get(source);
  if (compiled === undefined) {
    if (patterns.size > 1000) patterns.clear();
    compiled = compilePattern(source);
    patterns.set(source, compiled);
  }
  return compiled;
}

function compilePattern(source: string): RE2JS | null {
  try {
    return RE2JS.compile(source);
  } catch {
    // Section 2.5: an invalid pattern does not match.
    return null;
  }
}
