import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { REDACTED } from '../../lib/redaction.ts';
import { readRule } from './read-rule.ts';

type Input = Pick<GraphQLArgument | GraphQLInputField, 'type' | 'astNode'>;

/** A copy of the arguments in which every `@secret` argument and input field is redacted. */
export function withoutSecretFields(
  schema: GraphQLSchema,
  args: readonly GraphQLArgument[],
  values: Record<string, unknown>,
): Record<string, unknown> {
  const byName = new Map(args.map((argument) => [argument.name, argument]));
  return mapMembers(values, (name, value) => hide(schema, byName.get(name), value));
}

function hide(schema: GraphQLSchema, input: Input | undefined, value: unknown): unknown {
  if (!input || value === null || value === undefined) return value;
  return readRule(schema, 'secret', input) ? REDACTED : descend(schema, input.type, value);
}

function descend(schema: GraphQLSchema, declared: Input['type'], value: unknown): unknown {
  const type = getNullableType(declared);
  if (isListType(type) && Array.isArray(value)) {
    return value.map((item) => descend(schema, type.ofType, item));
  }
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null) return value;
  const fields = type.getFields();
  return mapMembers(value, (name, member) => hide(schema, fields[name], member));
}

const mapMembers = (value: object, map: (name: string, member: unknown) => unknown) =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(name, member)]));
