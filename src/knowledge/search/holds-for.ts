import type { Attributes, AttributeValue } from '../documents.ts';
import type { AttributeFilter } from './filter.ts';

const holds = {
  eq: (order: number) => order === 0,
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
} as const;

/** Whether a filter holds for attributes, by the rules of `conditionOf`. */
export function holdsFor(filter: AttributeFilter, attributes: Attributes): boolean {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((each) => holdsFor(each, attributes));
    case 'or':
      return filter.filters.some((each) => holdsFor(each, attributes));
    case 'in':
      return filter.value.some((value) => compares('eq', attributes, { key: filter.key, value }));
    case 'nin':
      return !holdsFor({ ...filter, type: 'in' }, attributes);
    case 'ne':
      return !compares('eq', attributes, filter);
    default:
      return compares(filter.type, attributes, filter);
  }
}

function compares(
  type: keyof typeof holds,
  attributes: Attributes,
  { key, value }: { key: string; value: AttributeValue },
): boolean {
  const own = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  return own !== undefined && typeof own === typeof value && holds[type](orderOf(own, value));
}

/** Texts compare by their bytes, as in SQLite. */
function orderOf(one: AttributeValue, other: AttributeValue): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return Number(one) - Number(other);
}
