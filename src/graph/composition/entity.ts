import { defaultFieldResolver } from 'graphql';
import type { GraphContext } from '../../subgraphs/context.ts';
import type { ReferenceResolver, Resolver } from '../../subgraphs/subgraph.ts';
import type { FieldResolver } from '../rules/apply.ts';

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null)?.then === 'function';

/** A field that returns `{ id }` of another subgraph's entity, or a list of them, answers what the owner loads. */
export function referenced(
  coordinate: string,
  load: ReferenceResolver,
  own: FieldResolver = defaultFieldResolver,
): FieldResolver {
  const follow = (value: unknown, context: GraphContext): unknown => {
    if (value === null || value === undefined) return null;
    if (isPromise(value)) return value.then((settled) => follow(settled, context));
    if (Array.isArray(value)) return value.map((item) => follow(item, context));
    const { id } = value as { id?: unknown };
    if (typeof id !== 'string') throw new Error(`${coordinate} must return the id of the entity as { id }.`);
    return load({ id }, context);
  };
  return (parent, args, context, info) => follow(own(parent, args, context, info), context);
}

/** A field that a subgraph adds to another's entity sees that entity as `{ id }`. */
export const contributed =
  (ownerId: Resolver | undefined, own: Resolver): FieldResolver =>
  (parent, args, context, info) => {
    const id = ownerId ? ownerId(parent, {}, context, info) : (parent as { id: unknown }).id;
    return own({ id }, args, context, info);
  };
