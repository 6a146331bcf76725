import { badValue } from '../errors.ts';
import { compileOperators } from '../query/filter.ts';
import type { SortField } from '../query/sort.ts';
import { wantsPresence } from '../query/value-tests.ts';
import type { Collection } from '../store/collection.ts';
import type { Index } from '../store/indexes/index-spec.ts';
import { isNamed } from '../store/indexes/same-key.ts';
import { equalValues } from '../value/compare.ts';
import { isDocument, order, typeOrder } from '../value/types.ts';
import { type Bounds, computeBounds, type Interval } from './bounds.ts';
import {
  type Conditions,
  extractConditions,
  type FieldCondition,
  hasText,
  isRangeBound,
} from './conditions.ts';
import type { DocumentQuery } from './document-query.ts';
import { type Candidate, type CountEntries, fewest } from './fewer.ts';

/** What every plan says: whether it gives exactly the matches, and whether in the wanted order. */
type Promised = { exact: boolean; sorted: boolean };
type ScanPlan = Promised & { kind: 'scan'; reverse: boolean };
export type IndexPlan = Promised & {
  kind: 'index';
  index: Index;
  intervals: Interval[];
  reverse: boolean;
  bounded: boolean;
};
type UnionPlan = Promised & { kind: 'union'; plans: AccessPath[] };

/** How documents are reached: in record order, through one index, or through one index for each `$or` clause. */
export type AccessPath = ScanPlan | IndexPlan | UnionPlan;

/** A selection taken apart. */
type Question = { conditions: Conditions; sort: readonly SortField[]; collationKey: string; forced: boolean };

/** So few documents are read quickly, in any thread and by any index. */
export const FEW_DOCUMENTS = 1000;

/**
 * Chooses the access path: equality first, then a range, then an index that already has the wanted order. `count`: tells of a large
 * collection how many entries an index has for the selection.
 */
export function plan(collection: Collection, selection: DocumentQuery, count?: CountEntries): AccessPath {
  const { filter, sort = [], limit = 0, hint, collation } = selection;
  const conditions = extractConditions(filter);
  const natural = sort[0]?.path === '$natural' ? sort[0] : null;
  const scan: AccessPath = {
    kind: 'scan',
    reverse: natural?.descending ?? false,
    exact: conditions.clauses === 0,
    sorted: sort.length === 0 || natural !== null,
  };
  if (natural || (isDocument(hint) && '$natural' in hint)) return scan;
  const forced = hint !== undefined;
  const candidates = forced ? [hintedIndex(collection, hint)] : collection.indexes;
  const question = { conditions, sort, collationKey: collation?.key ?? '', forced };
  let best: Candidate | null = null;
  const found: Candidate[] = [];
  for (const index of candidates) {
    const candidate = index.building ? null : consider(index, question);
    if (!candidate) continue;
    found.push(candidate);
    if (best === null || candidate.score > best.score) best = candidate;
  }
  if (best === null) return planUnion(collection, selection, conditions, count) ?? scan;
  if (!count || found.length === 1 || collection.count <= FEW_DOCUMENTS) return best.plan;
  return fewest(best, found, { count, isPage: limit > 0 && best.plan.sorted }).plan;
}

function consider(index: Index, question: Question): Candidate | null {
  const { conditions, sort, collationKey, forced } = question;
  if (
    index.partial &&
    !implies(conditions.list, extractConditions(index.partial.source), index, collationKey)
  )
    return null;
  if (index.sparse && !forced && !requiresPresence(index, conditions.list)) return null;
  const { intervals, covered, points, ranged, ...bounds } = computeBounds(
    index,
    conditions.list,
    collationKey,
  );
  const direction = sortDirection(index, bounds, question);
  const ordering = sort.length > 0 && direction !== 0 ? 4 : 0;
  const score = points * 10 + (ranged ? 5 : 0) + ordering;
  if (score === 0 && !forced) return null;
  // Each interval of a unique index holds at most one document: no other index can offer fewer.
  const isUnique = index.unique && points === index.names.length;
  return {
    plan: {
      kind: 'index',
      index,
      intervals,
      reverse: direction < 0,
      exact: covered.size === conditions.clauses,
      sorted: sort.length === 0 || direction !== 0,
      bounded: points > 0 || ranged,
    },
    score: score + (isUnique ? 100 : 0) + (forced ? 1 : 0),
    fixed: index.names.slice(0, points),
    isUnique,
  };
}

/** 1 when walking the index gives the sort's order, -1 when walking it backwards does, 0 when neither. */
function sortDirection(
  index: Index,
  { fixed, ordered }: Pick<Bounds, 'fixed' | 'ordered'>,
  { sort, collationKey }: Question,
): number {
  if (sort.length === 0 || index.multikey || index.lossy || !ordered) return 0;
  if ((index.collation?.key ?? '') !== collationKey) return 0;
  const known = new Set(index.names.slice(0, fixed));
  let direction = 0;
  let position = fixed;
  for (const { path, descending } of sort) {
    if (known.has(path)) continue;
    if (index.names[position] !== path) return 0;
    const here = descending === index.descending[position] ? 1 : -1;
    if (direction !== 0 && here !== direction) return 0;
    direction = here;
    position += 1;
  }
  return direction === 0 ? 1 : direction;
}

/** A sparse index misses documents without its fields, so some condition must already exclude them. */
function requiresPresence(index: Index, conditions: readonly FieldCondition[]): boolean {
  return conditions.some((condition) => index.names.includes(condition.path) && excludesMissing(condition));
}

function excludesMissing({ operator, operand }: FieldCondition): boolean {
  if (operator === '$exists') return wantsPresence(operand);
  if (operator === '$in') return Array.isArray(operand) && !operand.some((value) => value === null);
  // Missing counts as null, which lies between the ends of the order.
  return operator === '$regex' || ![order.null, order.minKey, order.maxKey].includes(typeOrder(operand) as 5);
}

/** A partial index serves a query only when every match must be in it. */
function implies(
  query: readonly FieldCondition[],
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

function conditionImplies(given: FieldCondition, required: FieldCondition, index: Index): boolean {
  const { operator, operand } = given;
  if (operator === required.operator && equalValues(operand, required.operand)) return true;
  if (required.operator === '$exists') return required.operand === true && excludesMissing(given);
  const satisfied = compileOperators(
    ['value'],
    { [required.operator]: required.operand },
    { fold: index.collation?.fold },
  );
  const implied = (value: unknown): boolean => !Array.isArray(value) && satisfied({ value });
  if (operator === '$eq') return implied(operand);
  if (operator === '$in' && Array.isArray(operand)) return operand.every(implied);
  const sameSide = operator.slice(0, 2) === required.operator.slice(0, 2);
  return sameSide && /^\$[gl]te?$/.test(operator) && isRangeBound(operand) && implied(operand);
}

function planUnion(
  collection: Collection,
  selection: DocumentQuery,
  conditions: Conditions,
  count?: CountEntries,
): AccessPath | null {
  const { sort = [], collation = null } = selection;
  for (const clauses of conditions.alternatives) {
    const plans = clauses.map((filter) => plan(collection, { filter, collation }, count));
    if (plans.every((part) => part.kind === 'index' && part.bounded)) {
      return { kind: 'union', plans, exact: false, sorted: sort.length === 0 };
    }
  }
  return null;
}

/** How many intervals of indexes a plan looks at. */
export function countIntervals(plan: AccessPath): number {
  if (plan.kind === 'scan') return 0;
  if (plan.kind === 'index') return plan.intervals.length;
  return plan.plans.reduce((sum, part) => sum + countIntervals(part), 0);
}

/** The index a hint names, by its name or by its key. */
function hintedIndex(collection: Collection, hint: unknown): Index {
  const found = collection.indexes.find((index) => !index.building && isNamed(index, hint));
  if (found) return found;
  throw badValue('planner returned error: hint provided does not correspond to an existing index');
}
