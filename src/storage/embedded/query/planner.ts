import { badValue } from '../errors.ts';
import type { Collection } from '../store/collection.ts';
import type { Index } from '../store/index-spec.ts';
import { equalValues } from '../value/compare.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';
import { type Bounds, computeBounds, type Interval } from './bounds.ts';
import type { Collation } from './collation.ts';
import { type Condition, type Conditions, extractConditions, hasText, isRangeBound } from './conditions.ts';
import { compileOperators } from './operators.ts';

export type SortField = { path: string; descending: boolean };

/** How documents are reached: in record order, through one index, or through one index for each `$or` clause. */
export type Plan =
  | { kind: 'scan'; reverse: boolean; exact: boolean; sorted: boolean }
  | {
      kind: 'index';
      index: Index;
      intervals: Interval[];
      reverse: boolean;
      exact: boolean;
      sorted: boolean;
      bounded: boolean;
    }
  | { kind: 'union'; plans: Plan[]; exact: false; sorted: boolean };

export type PlanRequest = {
  filter: Document;
  sort?: readonly SortField[];
  collation?: Collation | null;
  hint?: unknown;
};

/** Chooses the access path: equality first, then a range, then an index that already has the wanted order. */
export function plan(collection: Collection, request: PlanRequest): Plan {
  const sort = request.sort ?? [];
  const conditions = extractConditions(request.filter);
  const natural = sort[0]?.path === '$natural' ? sort[0] : null;
  const scan: Plan = {
    kind: 'scan',
    reverse: natural?.descending ?? false,
    exact: conditions.clauses === 0,
    sorted: sort.length === 0 || natural !== null,
  };
  if (natural) return scan;
  const hinted = request.hint === undefined ? null : hintedIndex(collection, request.hint);
  if (hinted === 'natural') return scan;
  const candidates = hinted ? [hinted] : collection.indexes.filter((index) => !index.building);
  let best: { plan: Plan; score: number } = { plan: scan, score: 0 };
  for (const index of candidates) {
    const candidate = consider(index, conditions, sort, request.collation?.key ?? '', hinted !== null);
    if (candidate && candidate.score > best.score) best = candidate;
  }
  if (best.plan === scan) return planUnion(collection, request, conditions) ?? scan;
  return best.plan;
}

function consider(
  index: Index,
  conditions: Conditions,
  sort: readonly SortField[],
  collationKey: string,
  forced: boolean,
): { plan: Plan; score: number } | null {
  if (
    index.partial &&
    !implies(conditions.list, extractConditions(index.partial.source), index, collationKey)
  )
    return null;
  const bounds = computeBounds(index, conditions.list, collationKey);
  const bounded = bounds.points > 0 || bounds.ranged;
  if (index.sparse && !forced && !requiresPresence(index, conditions.list)) return null;
  const direction = sortDirection(index, bounds, sort, collationKey);
  const sorted = sort.length === 0 || direction !== 0;
  const score = bounds.points * 10 + (bounds.ranged ? 5 : 0) + (sort.length > 0 && direction !== 0 ? 4 : 0);
  if (score === 0 && !forced) return null;
  const exact = bounds.covered.size === conditions.clauses;
  const unique = index.unique && bounds.fixed === index.names.length ? 100 : 0;
  return {
    plan: {
      kind: 'index',
      index,
      intervals: bounds.intervals,
      reverse: direction < 0,
      exact,
      sorted,
      bounded,
    },
    score: score + unique + (forced ? 1 : 0),
  };
}

/** 1 when walking the index gives the sort's order, -1 when walking it backwards does, 0 when neither. */
function sortDirection(
  index: Index,
  bounds: Bounds,
  sort: readonly SortField[],
  collationKey: string,
): number {
  if (sort.length === 0 || index.multikey || index.lossy || !bounds.ordered) return 0;
  if ((index.collation?.key ?? '') !== collationKey) return 0;
  const fixed = new Set(index.names.slice(0, bounds.fixed));
  const wanted = sort.filter(({ path }) => !fixed.has(path));
  let direction = 0;
  let position = bounds.fixed;
  for (const { path, descending } of wanted) {
    if (index.names[position] !== path) return 0;
    const here = descending === index.descending[position] ? 1 : -1;
    if (direction !== 0 && here !== direction) return 0;
    direction = here;
    position += 1;
  }
  return direction === 0 ? 1 : direction;
}

/** A sparse index misses documents without its fields, so some condition must already exclude them. */
function requiresPresence(index: Index, conditions: readonly Condition[]): boolean {
  return conditions.some(
    ({ path, operator, operand }) => index.names.includes(path) && excludesMissing(operator, operand),
  );
}

function excludesMissing(operator: string, operand: unknown): boolean {
  if (operator === '$exists') return operand !== false && operand !== 0;
  if (operator === '$in') return Array.isArray(operand) && !operand.some((value) => value === null);
  return operator === '$regex' || (operand !== null && operand !== undefined);
}

/** A partial index serves a query only when every match must be in it. */
function implies(
  query: readonly Condition[],
  partial: Conditions,
  index: Index,
  collationKey: string,
): boolean {
  if (partial.list.length !== partial.clauses) return false;
  const sameCollation = (index.collation?.key ?? '') === collationKey;
  if (!sameCollation && partial.list.some(({ operand }) => hasText(operand))) return false;
  return partial.list.every((required) =>
    query.some(
      (given) => given.path === required.path && given.exact && conditionImplies(given, required, index),
    ),
  );
}

function conditionImplies(given: Condition, required: Condition, index: Index): boolean {
  if (given.operator === required.operator && equalValues(given.operand, required.operand)) return true;
  if (required.operator === '$exists')
    return required.operand === true && excludesMissing(given.operator, given.operand);
  const fold = index.collation?.fold;
  const satisfies = compileOperators(
    ['value'],
    { [required.operator]: required.operand },
    fold ? { fold } : {},
  );
  if (given.operator === '$eq') return !Array.isArray(given.operand) && satisfies({ value: given.operand });
  if (given.operator === '$in' && Array.isArray(given.operand)) {
    return given.operand.every((value) => !Array.isArray(value) && satisfies({ value }));
  }
  if (!isRangeBound(given.operand) || given.operator.slice(0, 2) !== required.operator.slice(0, 2))
    return false;
  return /^\$[gl]te?$/.test(given.operator) && satisfies({ value: given.operand });
}

function planUnion(collection: Collection, request: PlanRequest, conditions: Conditions): Plan | null {
  for (const clauses of conditions.alternatives) {
    const plans = clauses.map((filter) => plan(collection, { filter, collation: request.collation ?? null }));
    if (plans.every((part) => part.kind === 'index' && part.bounded)) {
      return { kind: 'union', plans, exact: false, sorted: (request.sort ?? []).length === 0 };
    }
  }
  return null;
}

/** The index a hint names, by its name or by its key. */
function hintedIndex(collection: Collection, hint: unknown): Index | 'natural' {
  if (isDocument(hint) && '$natural' in hint) return 'natural';
  const found = collection.indexes.find((index) => {
    if (index.building) return false;
    return typeof hint === 'string' ? index.name === hint : isDocument(hint) && sameKey(index.key, hint);
  });
  if (!found)
    throw badValue(
      'error processing query: planner returned error: hint provided does not correspond to an existing index',
    );
  return found;
}

/** Index keys are the same when fields, order and directions are. */
export function sameKey(left: Document, right: Document): boolean {
  const names = Object.keys(left);
  const others = Object.keys(right);
  return (
    names.length === others.length &&
    names.every((name, i) => name === others[i] && asNumber(left[name]) === asNumber(right[name]))
  );
}
