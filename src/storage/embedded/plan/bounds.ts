import { BSONRegExp, Decimal128 } from 'bson';
import { literalPrefix } from '../query/regex.ts';
import type { Index } from '../store/indexes/index-spec.ts';
import { encodeKey, typeBracket } from '../value/key-encoding.ts';
import { typeOrder } from '../value/types.ts';
import { type FieldCondition, hasText, isExactPoint, isPoint, isRangeBound } from './conditions.ts';

/** A stretch of an index, low end included, high end not. */
export type Interval = { low: Buffer; high: Buffer };

/** What one index can do for a set of conditions. */
export type Bounds = {
  intervals: Interval[];
  /** The intervals lie under one equal beginning, so that one after the other they keep the index's order. */
  ordered: boolean;
  points: number;
  ranged: boolean;
  /** Fields fixed to one single value, which a sort may skip. */
  fixed: number;
  covered: Set<FieldCondition>;
};

/** One field of an index, and the conditions on it. */
type Field = {
  index: Index;
  descending: boolean;
  conditions: FieldCondition[];
  covered: Set<FieldCondition>;
};

/** The most intervals of one index that a query looks at; a query with more scans the collection. */
const maximumPoints = 20_000;

/** The first byte string that is greater than everything that begins with the prefix. */
export function after(prefix: Buffer): Buffer {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end -= 1;
  if (end === 0) return Buffer.from([0xff, 0xff]);
  const result = Buffer.from(prefix.subarray(0, end));
  result[end - 1] = (result[end - 1] as number) + 1;
  return result;
}

const startingWith = (prefix: Buffer): Interval => ({ low: prefix, high: after(prefix) });

/** Lays out the stretches of an index that hold every match: equal values first, then at most one range. */
export function computeBounds(
  index: Index,
  conditions: readonly FieldCondition[],
  collationKey: string,
): Bounds {
  const sameCollation = (index.collation?.key ?? '') === collationKey;
  const usable = conditions.filter(({ operator, operand }) =>
    operator === '$regex' ? index.collation === null : sameCollation || !hasText(operand),
  );
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let ranges: Interval[] = [];
  let [points, fixed] = [0, 0];
  const covered = new Set<FieldCondition>();
  for (const [position, name] of index.names.entries()) {
    if (index.multikey && sharesArray(index, position)) break;
    const here = usable.filter(({ path }) => path === name);
    const field = { index, descending: index.descending[position] ?? false, conditions: here, covered };
    const equal = equalTo(here);
    if (!equal || prefixes.length * equal.values.length > maximumPoints) {
      ranges = rangesOf(field);
      break;
    }
    const { condition, values } = equal;
    const encoded = values.map((value) => encode(field, value));
    prefixes = prefixes.flatMap((prefix) => encoded.map((key) => Buffer.concat([prefix, key])));
    points += 1;
    if (values.length === 1 && fixed === position) fixed += 1;
    if (!index.lossy && condition.exact && values.every(isExactPoint)) covered.add(condition);
  }
  prefixes = distinct(prefixes);
  const ranged = ranges.length > 0;
  const intervals = ranged
    ? prefixes.flatMap((prefix) => ranges.map((range) => within(prefix, range)))
    : prefixes.map(startingWith);
  return { intervals, ordered: prefixes.length === 1, points, ranged, fixed, covered };
}

const within = (prefix: Buffer, { low, high }: Interval): Interval => ({
  low: Buffer.concat([prefix, low]),
  high: Buffer.concat([prefix, high]),
});

/** Two fields under one array may match in different elements, so only the first of them can bound a multikey index. */
function sharesArray(index: Index, position: number): boolean {
  const root = index.paths[position]?.[0];
  return index.paths.slice(0, position).some((path) => path[0] === root);
}

function distinct(prefixes: Buffer[]): Buffer[] {
  if (prefixes.length < 2) return prefixes;
  const sorted = [...prefixes].sort(Buffer.compare);
  return sorted.filter((prefix, i) => i === 0 || !prefix.equals(sorted[i - 1] as Buffer));
}

function equalTo(conditions: FieldCondition[]): { condition: FieldCondition; values: unknown[] } | null {
  const single = conditions.find(({ operator, operand }) => operator === '$eq' && isPoint(operand));
  if (single) return { condition: single, values: [single.operand] };
  for (const condition of conditions) {
    const values = condition.operand;
    if (condition.operator === '$in' && Array.isArray(values) && values.length > 0 && values.every(isPoint)) {
      return { condition, values };
    }
  }
  return null;
}

const encode = ({ index, descending }: Field, value: unknown): Buffer =>
  encodeKey([value], [descending], index.collation?.fold).bytes;

function rangesOf(field: Field): Interval[] {
  const { index, descending, conditions, covered } = field;
  const ranges = conditions.filter(
    ({ operator, operand }) => /^\$[gl]te?$/.test(operator) && isRangeBound(operand),
  );
  const [first] = ranges;
  if (!first) return prefixRanges(field);
  const interval: Interval = { ...typeBracket(first.operand, descending) };
  const sides = new Set<string>();
  for (const condition of ranges) {
    const { operator, operand } = condition;
    const side = operator.slice(0, 2);
    if (typeOrder(operand) !== typeOrder(first.operand) || sides.has(side)) continue;
    // Each bound may be met by a different element of an array, so a multikey index takes only one of them.
    if (index.multikey && sides.size > 0) continue;
    sides.add(side);
    const key = encode(field, operand);
    const rounded = index.lossy || operand instanceof Decimal128;
    const inclusive = rounded || operator.endsWith('e');
    if ((side === '$g') !== descending) interval.low = inclusive ? key : after(key);
    else interval.high = inclusive ? after(key) : key;
    if (!rounded && condition.exact) covered.add(condition);
  }
  return [interval];
}

/** A regular expression that begins with literal text is a range of strings, and the expression itself. */
function prefixRanges({ index, descending, conditions, covered }: Field): Interval[] {
  for (const condition of conditions) {
    if (condition.operator !== '$regex' || !(condition.operand instanceof BSONRegExp)) continue;
    const prefix = literalPrefix(condition.operand.pattern, condition.operand.options);
    if (!prefix || prefix.text.includes('\0')) continue;
    const whole = encodeKey([prefix.text], [descending]).bytes;
    const itself = encodeKey([condition.operand], [descending]).bytes;
    if (prefix.exact && condition.exact && !index.multikey) covered.add(condition);
    const ranges = [whole.subarray(0, whole.length - 2), itself].map(startingWith);
    return descending ? ranges.reverse() : ranges;
  }
  return [];
}
