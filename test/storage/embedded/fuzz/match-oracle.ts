import { compareBson, emptyArray, isNaNValue, isObject, rankOf } from './order-oracle.ts';

/**
 * A matcher and a sort order written straight from the MongoDB manual, over canonical Extended JSON and with no thought
 * of speed, so that an error which a scan and an index share still shows.
 */
type Ejson = Record<string, any>;

/** Every value a path reaches; missing ones as undefined. An array at the end also gives its elements. */
function reach(value: unknown, parts: readonly string[], expand: boolean): unknown[] {
  const [part, ...rest] = parts;
  if (part === undefined) return expand && Array.isArray(value) ? [...value, value] : [value];
  if (isObject(value)) return reach(Object.hasOwn(value, part) ? value[part] : undefined, rest, expand);
  if (!Array.isArray(value)) return [undefined];
  const positional = /^\d+$/.test(part) && Number(part) < value.length ? [value[Number(part)]] : [];
  return [
    ...positional.flatMap((element) => reach(element, rest, expand)),
    ...value.filter(isObject).flatMap((element) => reach(element, parts, expand)),
  ];
}

const equal = (value: unknown, operand: unknown): boolean =>
  value === undefined ? operand === null : compareBson(value, operand) === 0;

const isRegex = (operand: unknown): boolean => rankOf(operand) === 13;

function matchesRegex(value: unknown, operand: Ejson): boolean {
  const { pattern, options } = operand.$regularExpression;
  const text = typeof value === 'string' ? value : (value as Ejson | undefined)?.$symbol;
  if (text !== undefined) return new RegExp(pattern, `${options}u`).test(text);
  return isRegex(value) && compareBson(value, operand) === 0;
}

/** Range operators look at values of the operand's own type only. */
function inRange(value: unknown, operand: unknown, accept: (difference: number) => boolean): boolean {
  // How a missing field compares with the least and the greatest key is a matter of a server's version.
  if ([1, 17].includes(rankOf(operand))) throw new Unknown();
  if (operand === null) return accept(0) && (value === undefined || value === null);
  if (value === undefined || rankOf(value) !== rankOf(operand)) return false;
  if (isNaNValue(value) || isNaNValue(operand)) {
    return accept(0) && isNaNValue(value) && isNaNValue(operand);
  }
  return accept(compareBson(value, operand));
}

type Test = (value: unknown, operand: any) => boolean;
const tests: Record<string, Test> = {
  $eq: (value, operand) => (isRegex(operand) ? matchesRegex(value, operand) : equal(value, operand)),
  $in: (value, operand: unknown[]) => operand.some((item) => tests.$eq?.(value, item)),
  $gt: (value, operand) => inRange(value, operand, (difference) => difference > 0),
  $gte: (value, operand) => inRange(value, operand, (difference) => difference >= 0),
  $lt: (value, operand) => inRange(value, operand, (difference) => difference < 0),
  $lte: (value, operand) => inRange(value, operand, (difference) => difference <= 0),
};

const isOperators = (condition: unknown): condition is Ejson =>
  isObject(condition) && Object.keys(condition)[0]?.startsWith('$') === true;

function matchesElement(element: unknown, operand: Ejson): boolean {
  if (isOperators(operand)) return matchesCondition(element, [], operand, false);
  return (isObject(element) || Array.isArray(element)) && matches(operand, { ...element });
}

function matchesOperator(
  document: unknown,
  path: string[],
  operator: string,
  operand: any,
  expand: boolean,
): boolean {
  switch (operator) {
    case '$ne':
      return !matchesOperator(document, path, '$eq', operand, expand);
    case '$nin':
      return !matchesOperator(document, path, '$in', operand, expand);
    case '$not':
      return !matchesCondition(document, path, operand, expand);
    case '$exists':
      return reach(document, path, false).some((value) => value !== undefined) === Boolean(operand);
    case '$size':
      return reach(document, path, false).some(
        (value) => Array.isArray(value) && value.length === Number(operand.$numberInt),
      );
    case '$elemMatch':
      return reach(document, path, false).some(
        (value) => Array.isArray(value) && value.some((element) => matchesElement(element, operand)),
      );
    case '$all':
      return (
        operand.length > 0 &&
        operand.every((item: unknown) => matchesOperator(document, path, '$eq', item, expand))
      );
    default: {
      const test = tests[operator];
      if (!test) throw new Unknown();
      return reach(document, path, expand).some((value) => test(value, operand));
    }
  }
}

function matchesCondition(document: unknown, path: string[], condition: unknown, expand = true): boolean {
  if (!isOperators(condition)) return matchesOperator(document, path, '$eq', condition, expand);
  return Object.entries(condition).every(([operator, operand]) =>
    matchesOperator(document, path, operator, operand, expand),
  );
}

/** The filter says something that the oracle does not know. */
class Unknown extends Error {}

function matches(filter: Ejson, document: unknown): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    if (key === '$and') return condition.every((clause: Ejson) => matches(clause, document));
    if (key === '$or') return condition.some((clause: Ejson) => matches(clause, document));
    if (key === '$nor') return !condition.some((clause: Ejson) => matches(clause, document));
    if (key.startsWith('$')) throw new Unknown();
    return matchesCondition(document, key.split('.'), condition);
  });
}

/** What a document sorts by at a path: of an array the least element, or the greatest when descending. */
function sortKey(document: unknown, path: string, descending: boolean): unknown {
  const keys = sortKeys(document, path.split('.'));
  return keys.reduce((best, key) => (compareBson(key, best) < 0 === descending ? best : key));
}

function sortKeys(value: unknown, parts: readonly string[]): unknown[] {
  const [part, ...rest] = parts;
  if (part === undefined) {
    if (!Array.isArray(value)) return [value];
    return value.length === 0 ? [emptyArray] : value;
  }
  if (isObject(value)) return sortKeys(Object.hasOwn(value, part) ? value[part] : undefined, rest);
  if (!Array.isArray(value) || value.length === 0) return [undefined];
  if (/^\d+$/.test(part) && Number(part) < value.length) return sortKeys(value[Number(part)], rest);
  return value.flatMap((element) => (isObject(element) ? sortKeys(element, parts) : [undefined]));
}

export type Sort = readonly (readonly [string, 1 | -1])[];

/** The documents that match, in order; null when the filter is beyond the oracle. */
export function expectedMatches(documents: readonly Ejson[], filter: Ejson, sort: Sort): Ejson[] | null {
  try {
    const found = documents.filter((document) => matches(filter, document));
    const keyed = found.map((document) => ({
      document,
      keys: sort.map(([path, direction]) => sortKey(document, path, direction < 0)),
    }));
    keyed.sort((left, right) => {
      for (const [i, [, direction]] of sort.entries()) {
        const difference = compareBson(left.keys[i], right.keys[i]) * direction;
        if (difference !== 0) return difference;
      }
      return 0;
    });
    return keyed.map(({ document }) => document);
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}
