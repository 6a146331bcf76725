import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql';
import { requireScope } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { audited } from './audit.ts';
import { constraintsOf } from './constraint.ts';
import { readRule } from './read-rule.ts';

export type FieldResolver = GraphQLFieldResolver<unknown, GraphContext, Record<string, unknown>>;

/**
 * The field's resolver inside the rules that its SDL states: audit, then access, then constraints, then the resolver.
 * Undefined when the field is a plain property of its parent.
 */
export function withRules(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, GraphContext>,
  own: FieldResolver | undefined,
): FieldResolver | undefined {
  const constant = readRule(schema, 'constant', field);
  const constraints = constraintsOf(schema, field.args);
  const audit = readRule(schema, 'audit', field);

  let resolve = constant ? () => constant.value : own;
  const inner = () => resolve ?? defaultFieldResolver;

  if (constraints) {
    const next = inner();
    resolve = (parent, args, context, info) => {
      constraints(args);
      return next(parent, args, context, info);
    };
  }
  resolve = withAccess(schema, field, resolve);
  return audit ? audited(schema, field.args, audit.action, inner()) : resolve;
}

function withAccess(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, GraphContext>,
  own: FieldResolver | undefined,
): FieldResolver | undefined {
  const next = own ?? defaultFieldResolver;
  const access = readRule(schema, 'access', field);
  if (access) {
    return (parent, args, context, info) => {
      // When an operation has been given up, none of its remaining resolvers starts.
      context.signal?.throwIfAborted();
      requireScope(context.principal, access.anyOf);
      return next(parent, args, context, info);
    };
  }
  if (!readRule(schema, 'authenticated', field)) return own;
  return (parent, args, context, info) => {
    if (!context.principal) throw new GatewayError('UNAUTHENTICATED');
    return next(parent, args, context, info);
  };
}

/**
 * Makes a field of the root type Subscription: its resolver answers the stream, and the field's value is what comes out
 * of it. Rules hold for the subscribing, access again for each value, since a credential may lose a scope meanwhile.
 */
export function subscribable(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, GraphContext>,
  own: FieldResolver | undefined,
): void {
  const subscribe = withRules(schema, field, own);
  const resolve = withAccess(schema, field, (value) => value);
  Object.assign(field, { subscribe, resolve });
}
