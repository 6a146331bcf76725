import { extendSchema, type GraphQLSchema, isUnionType, parse } from 'graphql';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../../subgraphs/context.ts';
import type { Graph } from '../../composition/graph.ts';
import { entityAccess } from '../../rules/entity-access.ts';

/** The fused schema as a subgraph: with `_entities`, by which a remote's reference to one of our entities is loaded. */
export function withEntities({ schema, references }: Graph): GraphQLSchema {
  const types = Object.keys(references);
  if (types.length === 0) return schema;
  const extended = extendSchema(
    schema,
    parse(`scalar _Any
      union _Entity = ${types.join(' | ')}
      extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`),
  );
  const typeOf = new WeakMap<object, string>();
  const access = new Map(types.map((type) => [type, entityAccess(schema, type)]));

  async function load(representation: unknown, context: GraphContext): Promise<unknown> {
    const { __typename: type, id } = (representation ?? {}) as { __typename?: unknown; id?: unknown };
    const reference = typeof type === 'string' ? references[type] : undefined;
    if (typeof type !== 'string' || typeof id !== 'string' || !reference) throw new GatewayError('INTERNAL');
    access.get(type)?.(context);
    const entity = await reference({ id }, context);
    if (typeof entity === 'object' && entity !== null) typeOf.set(entity, type);
    return entity;
  }

  const field = extended.getQueryType()?.getFields()._entities;
  const union = extended.getType('_Entity');
  if (!field || !isUnionType(union)) throw new Error('The schema was not extended.');
  union.resolveType = (entity: object) => typeOf.get(entity);
  field.resolve = (_parent, { representations }: { representations: unknown[] }, context) =>
    representations.map((representation) => load(representation, context));
  return extended;
}
