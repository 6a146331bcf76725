import { CommandError, failedToParse, notImplemented } from '../errors.ts';
import { isNumeric } from '../update/arithmetic.ts';
import { compareValues } from '../value/compare.ts';
import { equalityKey } from '../value/key-encoding.ts';
import { asNumber, type Document, expectDocument } from '../value/types.ts';

/** Takes note of a value that stays in memory. */
export type Keep = (value: unknown, overhead?: number) => void;

/** Computes one value from a value of each document of a group; undefined stands for a missing one. */
export type Accumulator = {
  start(): unknown;
  add(state: unknown, value: unknown, keep: Keep): unknown;
  result(state: unknown): unknown;
};

function accumulator<State>(
  start: () => State,
  add: (state: State, value: unknown, keep: Keep) => State,
  result: (state: State) => unknown = (state) => state,
): Accumulator {
  return { start, add, result } as Accumulator;
}

const isExact = (value: number | bigint): boolean => typeof value === 'bigint' || Number.isSafeInteger(value);

/** Whole numbers are added without rounding, also beyond 2^53. */
function plus(left: number | bigint, right: number | bigint): number | bigint {
  const sum = Number(left) + Number(right);
  if (Number.isSafeInteger(sum) || !isExact(left) || !isExact(right)) return sum;
  const exact = BigInt(left) + BigInt(right);
  return BigInt.asIntN(64, exact) === exact ? exact : sum;
}

const sum = accumulator<number | bigint>(
  () => 0,
  (total, value) => (isNumeric(value) ? plus(total, value as number | bigint) : total),
);

const extreme = (sign: number): Accumulator =>
  accumulator<unknown>(
    () => null,
    (best, value) => {
      if (value === undefined || value === null) return best;
      return best === null || compareValues(value, best) * sign > 0 ? value : best;
    },
  );

/** For each share, the smallest value that is at least as large as that share of all values. */
const quantiles = (shares: number[], result: (found: (number | null)[]) => unknown): Accumulator =>
  accumulator<number[]>(
    () => [],
    (numbers, value, keep) => {
      if (!isNumeric(value)) return numbers;
      keep(value);
      numbers.push(Number(value));
      return numbers;
    },
    (numbers) => {
      const sorted = Float64Array.from(numbers).sort();
      const at = (share: number): number => Math.max(0, Math.ceil(share * sorted.length) - 1);
      return result(shares.map((share) => sorted[at(share)] ?? null));
    },
  );

const accumulators: Record<string, Accumulator> = {
  $sum: sum,
  $avg: accumulator(
    () => ({ total: 0, count: 0 }),
    (state, value) => {
      if (!isNumeric(value)) return state;
      state.total += Number(value);
      state.count += 1;
      return state;
    },
    ({ total, count }) => (count === 0 ? null : total / count),
  ),
  $min: extreme(-1),
  $max: extreme(1),
  $first: accumulator<unknown>(
    () => undefined,
    (first, value) => (first === undefined ? (value ?? null) : first),
  ),
  $last: accumulator<unknown>(
    () => null,
    (_last, value) => value ?? null,
  ),
  $push: accumulator<unknown[]>(
    () => [],
    (values, value, keep) => {
      if (value === undefined) return values;
      keep(value);
      values.push(value);
      return values;
    },
  ),
  $addToSet: accumulator(
    () => new Map<string | number, unknown>(),
    (values, value, keep) => {
      const key = value === undefined ? undefined : equalityKey(value);
      if (key === undefined || values.has(key)) return values;
      keep(value, 32);
      return values.set(key, value);
    },
    (values) => [...values.values()],
  ),
  $mergeObjects: accumulator<Document>(
    () => ({}),
    (merged, value, keep) => {
      if (value === undefined || value === null) return merged;
      keep(value);
      return { ...merged, ...expectDocument(value, 40400, '$mergeObjects requires object inputs') };
    },
  ),
};

const refused = new Set(
  '$bottom $bottomN $firstN $lastN $maxN $minN $stdDevPop $stdDevSamp $top $topN'.split(' '),
);

/** The names of all accumulators. */
export const accumulatorNames = [...Object.keys(accumulators), '$count', '$median', '$percentile'];

/** The accumulator that `{ $sum: "$price" }` names, and the expression for what it takes of each document. */
export function parseAccumulator(
  name: string,
  argument: unknown,
): { accumulator: Accumulator; input: unknown } {
  if (name === '$count') return { accumulator: sum, input: 1 };
  if (name === '$median' || name === '$percentile') return parseQuantiles(name, argument);
  const found = Object.hasOwn(accumulators, name) ? accumulators[name] : undefined;
  if (found) return { accumulator: found, input: argument };
  throw refused.has(name)
    ? notImplemented(`the accumulator ${name} is not supported`)
    : new CommandError(15952, `unknown group operator '${name}'`);
}

function parseQuantiles(name: string, argument: unknown): { accumulator: Accumulator; input: unknown } {
  const { input, p } = expectDocument(argument, 14, `${name} expects a document`);
  if (name === '$median') return { accumulator: quantiles([0.5], ([median]) => median), input };
  const shares = (Array.isArray(p) ? p : []).map(asNumber);
  if (shares.length === 0 || !shares.every((share) => share !== null && share >= 0 && share <= 1))
    throw failedToParse("the $percentile 'p' field must be an array of numbers from 0 to 1");
  return { accumulator: quantiles(shares as number[], (found) => found), input };
}
