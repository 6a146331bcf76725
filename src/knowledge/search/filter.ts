import type { Attributes, AttributeValue } from '../documents.ts';

export type Comparison = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';
export type AttributeFilter =
  | { type: Comparison; key: string; value: AttributeValue }
  | { type: 'in' | 'nin'; key: string; value: AttributeValue[] }
  | { type: 'and' | 'or'; filters: AttributeFilter[] };

/** A condition of SQL with the values of its parameters, in order. */
export type AttributeCondition = { sql: string; values: (string | number)[] };

const operators = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * A filter as a condition on a row of `file`. Values compare only with values of their own type: the text `1` is neither equal to the
 * number 1 nor smaller than it. `ne` and `nin` are the opposites of `eq` and `in`, so that they hold for files without the attribute.
 */
export function conditionOf(filter: AttributeFilter): AttributeCondition {
  switch (filter.type) {
    case 'and':
    case 'or':
      return joined(filter.filters.map(conditionOf), filter.type);
    case 'in':
      return joined(
        filter.value.map((value) => comparison('eq', filter.key, value)),
        'or',
      );
    case 'nin':
      return negated(conditionOf({ ...filter, type: 'in' }));
    case 'ne':
      return negated(comparison('eq', filter.key, filter.value));
    default:
      return comparison(filter.type, filter.key, filter.value);
  }
}

const comparison = (
  type: Exclude<Comparison, 'ne'>,
  key: string,
  value: AttributeValue,
): AttributeCondition => ({
  sql:
    'EXISTS (SELECT 1 FROM attribute WHERE attribute.file = file.id AND key = ? AND kind = ? ' +
    `AND value ${operators[type]} ?)`,
  values: [key, typeof value, stored(value)],
});

const negated = ({ sql, values }: AttributeCondition): AttributeCondition => ({ sql: `NOT ${sql}`, values });

/** No condition at all holds for `and`, and fails for `or`. */
const joined = (conditions: AttributeCondition[], by: 'and' | 'or'): AttributeCondition => ({
  sql:
    conditions.length === 0
      ? by === 'and'
        ? '(1)'
        : '(0)'
      : `(${conditions.map(({ sql }) => sql).join(` ${by} `)})`,
  values: conditions.flatMap(({ values }) => values),
});

/** A value as the index keeps it, beside the name of its type. */
export const stored = (value: AttributeValue): string | number =>
  typeof value === 'boolean' ? Number(value) : value;

/** The rows that the index keeps of a file's attributes. */
export const attributeRows = (attributes: Attributes): [string, string, string | number][] =>
  Object.entries(attributes).map(([key, value]) => [key, typeof value, stored(value)]);
