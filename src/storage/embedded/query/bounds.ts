import { BSONRegExp, Decimal128 } from 'bson';
import type { Index } from '../store/index-spec.ts';
import { encodeKey, typeBracket } from '../value/key-encoding.ts';
import { typeOrder } from '../value/types.ts';
import { type Condition, hasText, isExactPoint, isPoint, isRangeBound } from './conditions.ts';
import { literalPrefix } from './regex.ts';

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
  covered: Set<Condition>;
};

const maximumPoints = 2000;

/** The first byte string that is greater than everything that begins with the prefix. */
export function after(prefix: Buffer): Buffer {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end -= 1;
  if (end === 0) return Buffer.from([0xff, 0xff]);
  const result = Buffer.from(prefix.subarray(0, end));
  result[end - 1] = (result[end - 1] as number) + 1;
  return result;
}

/** Lays out the stretches of an index that hold every match: equal values first, then at most one range. */
export function computeBounds(index: Index, conditions: readonly Condition[], collationKey: string): Bounds {
  const sameCollation = (index.collation?.key ?? '') === collationKey;
  const usable = conditions.filter(({ operator, operand }) => {
    if (operator === '$regex') return index.collation === null;
    return sameCollation || !hasText(operand);
  });
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  const bounds: Bounds = {
    intervals: [],
    ordered: true,
    points: 0,
    ranged: false,
    fixed: 0,
    covered: new Set(),
  };
  for (const [position, name] of index.names.entries()) {
    if (index.multikey && sharesArray(index, position)) break;
    const here = usable.filter(({ path }) => path === name);
    const points = pointsOf(here);
    if (!points || prefixes.length * points.values.length > maximumPoints) {
      const ranges = rangesOf(index, position, here, bounds.covered);
      bounds.ranged = ranges.length > 0;
      bounds.intervals = distinct(prefixes).flatMap((prefix) => ranges.map((range) => within(prefix, range)));
      break;
    }
    const encoded = points.values.map((value) => encodePoint(index, position, value));
    prefixes = prefixes.flatMap((prefix) => encoded.map((key) => Buffer.concat([prefix, key])));
    bounds.points += 1;
    if (points.values.length === 1 && bounds.fixed === position) bounds.fixed += 1;
    if (!index.lossy && points.condition.exact && points.values.every(isExactPoint)) {
      bounds.covered.add(points.condition);
    }
  }
  prefixes = distinct(prefixes);
  bounds.ordered = prefixes.length === 1;
  if (!bounds.ranged) bounds.intervals = prefixes.map((prefix) => ({ low: prefix, high: after(prefix) }));
  return bounds;
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

function pointsOf(conditions: Condition[]): { condition: Condition; values: unknown[] } | null {
  for (const condition of conditions) {
    if (condition.operator === '$eq' && isPoint(condition.operand))
      return { condition, values: [condition.operand] };
  }
  for (const condition of conditions) {
    const values = condition.operand;
    if (condition.operator === '$in' && Array.isArray(values) && values.length > 0 && values.every(isPoint)) {
      return { condition, values };
    }
  }
  return null;
}

function encodePoint(index: Index, position: number, value: unknown): Buffer {
  return encodeKey([value], [index.descending[position] ?? false], index.collation?.fold).bytes;
}

function rangesOf(
  index: Index,
  position: number,
  conditions: Condition[],
  covered: Set<Condition>,
): Interval[] {
  const descending = index.descending[position] ?? false;
  const ranges = conditions.filter(
    ({ operator, operand }) => /^\$[gl]te?$/.test(operator) && isRangeBound(operand),
  );
  const [first] = ranges;
  if (!first) return prefixRanges(descending, conditions, covered, index);
  const bracket = typeBracket(first.operand, descending);
  const interval: Interval = { ...bracket };
  const sides = new Set<string>();
  for (const condition of ranges) {
    const { operator, operand } = condition;
    if (typeOrder(operand) !== typeOrder(first.operand)) continue;
    // Each bound may be met by a different element of an array, so a multikey index takes only one of them.
    const side = operator.startsWith('$g') ? 'from' : 'to';
    if (sides.has(side) || (index.multikey && sides.size > 0)) continue;
    sides.add(side);
    const rounded = index.lossy || operand instanceof Decimal128;
    narrow(
      interval,
      encodePoint(index, position, operand),
      side,
      rounded || operator.endsWith('e'),
      descending,
    );
    if (!rounded && condition.exact) covered.add(condition);
  }
  return [interval];
}

function narrow(
  interval: Interval,
  key: Buffer,
  side: 'from' | 'to',
  inclusive: boolean,
  descending: boolean,
): void {
  if ((side === 'from') !== descending) interval.low = inclusive ? key : after(key);
  else interval.high = inclusive ? after(key) : key;
}

/** A regular expression that begins with literal text is a range of strings, and the expression itself. */
function prefixRanges(
  descending: boolean,
  conditions: Condition[],
  covered: Set<Condition>,
  index: Index,
): Interval[] {
  for (const condition of conditions) {
    if (condition.operator !== '$regex' || !(condition.operand instanceof BSONRegExp)) continue;
    const prefix = literalPrefix(condition.operand.pattern, condition.operand.options);
    if (!prefix || prefix.text.includes('\0')) continue;
    const whole = encodeKey([prefix.text], [descending]).bytes;
    const low = whole.subarray(0, whole.length - 2);
    if (prefix.exact && condition.exact && !index.multikey) covered.add(condition);
    const itself = encodeKey([condition.operand], [descending]).bytes;
    const ranges = [low, itself].map((start) => ({ low: start, high: after(start) }));
    return descending ? ranges.reverse() : ranges;
  }
  return [];
}
