import { GraphQLError, GraphQLScalarType, valueFromASTUntyped } from 'graphql';
import { isNestedDeeperThan, maxDepth, unstorableName } from '../../lib/storable.ts';

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** A text such as `2026-03-01T12:00:00Z` as a date; null when it is none. */
export function parseDateTime(text: unknown): Date | null {
  if (typeof text !== 'string' || !rfc3339.test(text)) return null;
  const date = new Date(text.replace(' ', 'T'));
  return Number.isNaN(date.getTime()) ? null : date;
}

function dateTimeIn(value: unknown): Date {
  const date = parseDateTime(value);
  if (!date) throw new GraphQLError('A DateTime is an RFC 3339 text such as "2026-03-01T12:00:00.000Z".');
  return date;
}

function dateTimeOut(value: unknown): string {
  const date = value instanceof Date ? value : new Date(value as string | number);
  if (Number.isNaN(date.getTime())) throw new GraphQLError('DateTime cannot represent the stored value.');
  return date.toISOString();
}

function storable(value: unknown): unknown {
  if (isNestedDeeperThan(maxDepth, value)) {
    throw new GraphQLError(`JSON is nested at most ${maxDepth} levels.`);
  }
  const name = unstorableName(value);
  if (name !== null) throw new GraphQLError(`A member named ${JSON.stringify(name)} cannot be stored.`);
  return value;
}

/** The scalars of `schema/directives.graphql`. */
export const scalars = {
  JSON: new GraphQLScalarType({
    name: 'JSON',
    serialize: (value) => value,
    parseValue: storable,
    parseLiteral: (node, variables) => storable(valueFromASTUntyped(node, variables)),
  }),
  // Long occurs in answers alone: the tokens of a busy day exceed the largest Int, 2^31 - 1.
  Count: new GraphQLScalarType({
    name: 'Count',
    serialize(value) {
      if (Number.isSafeInteger(value) && (value as number) >= 0) return value;
      throw new GraphQLError(`Count cannot represent ${String(value)}.`);
    },
  }),
  DateTime: new GraphQLScalarType({
    name: 'DateTime',
    serialize: dateTimeOut,
    parseValue: dateTimeIn,
    parseLiteral: (node) => dateTimeIn(valueFromASTUntyped(node)),
  }),
};
