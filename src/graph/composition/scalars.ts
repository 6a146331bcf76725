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

/** A scalar of any JSON value; what its values must be like beside that is up to the services that take them. */
const anyJson = (name: string): GraphQLScalarType =>
  new GraphQLScalarType({
    name,
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
    serialize: (value) => value,
    parseValue: storable,
    parseLiteral: (node, variables) => storable(valueFromASTUntyped(node, variables)),
  });

function count(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new GraphQLError(`Count cannot represent ${String(value)}: it is a whole number from 0 to 2^53 - 1.`);
}

/** The scalars of `schema/directives.graphql`. */
export const scalars = {
  JSON: anyJson('JSON'),
  GatewayConfig: anyJson('GatewayConfig'),
  // The tokens of a busy day exceed the largest Int, 2^31 - 1.
  Count: new GraphQLScalarType({
    name: 'Count',
    serialize: count,
    parseValue: count,
    parseLiteral: (node) => count(valueFromASTUntyped(node)),
  }),
  UnixTime: new GraphQLScalarType({
    name: 'UnixTime',
    serialize: (value) => Math.floor((value as Date).getTime() / 1000),
    parseValue: (value) => new Date(count(value) * 1000),
    parseLiteral: (node) => new Date(count(valueFromASTUntyped(node)) * 1000),
  }),
  DateTime: new GraphQLScalarType({
    name: 'DateTime',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
    serialize: dateTimeOut,
    parseValue: dateTimeIn,
    parseLiteral: (node) => dateTimeIn(valueFromASTUntyped(node)),
  }),
};
