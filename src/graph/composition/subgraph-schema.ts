import { buildSubgraphSchema } from '@apollo/subgraph';
import {
  type DocumentNode,
  defaultFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import { GatewayError } from '../../errors/index.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import type { ReferenceResolver, Resolvers } from '../../subgraphs/subgraph.ts';
import { type FieldResolver, subscribable, withRules } from '../rules/apply.ts';
import { describeRules } from '../rules/describe.ts';
import { entityAccess } from '../rules/entity-access.ts';
import { declaredTypes } from './entity-owners.ts';
import { scalars } from './scalars.ts';
import type { SubgraphSource } from './sources.ts';

type Reference = { __typename: string; id: string };

/**
 * One subgraph as a schema of its own, with `_service` and `_entities` for a federation router and the rules of its SDL
 * enforced in its resolvers. What belongs to another subgraph is answered as its id alone.
 */
export function subgraphSchema(source: SubgraphSource, document: DocumentNode): GraphQLSchema {
  const schema = buildSubgraphSchema([
    { typeDefs: document, resolvers: resolversOf(source, document) as Record<string, never> },
  ]);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('_')) continue;
    for (const field of Object.values(type.getFields())) {
      const own = field.resolve as FieldResolver | undefined;
      if (type === schema.getSubscriptionType()) subscribable(schema, field, own);
      else field.resolve = withRules(schema, field, own);
    }
  }
  requireReferences(schema);
  describeRules(schema);
  return schema;
}

/** The subgraph's own resolvers, those of the scalars, and how each of its entities is loaded by reference. */
function resolversOf({ resolvers, references }: SubgraphSource, document: DocumentNode): Resolvers {
  const all: Record<string, unknown> = { ...scalars, ...resolvers };
  for (const [name, { entity }] of declaredTypes(document)) {
    // An entity of another subgraph is only an id here; its own subgraph loads it.
    const load: ReferenceResolver = references[name] ?? (({ id }) => ({ id }));
    if (entity) all[name] = { ...resolvers[name], __resolveReference: guarded(name, load) };
  }
  return all as Resolvers;
}

/**
 * Loads an entity for callers who may read it at the root, so that a reference opens nothing that their scopes
 * forbid.
 */
function guarded(type: string, load: ReferenceResolver) {
  let access: ReturnType<typeof entityAccess> | undefined;
  // Asynchronous, so that the refusal of one entity does not take the others along.
  return async ({ id }: Reference, context: GraphContext, { schema }: GraphQLResolveInfo) => {
    access ??= entityAccess(schema, type);
    access(context);
    return load({ id }, context);
  };
}

/** Refuses representations that no router sends, before a loader meets them. */
function requireReferences(schema: GraphQLSchema): void {
  const field = schema.getQueryType()?.getFields()._entities;
  if (!field) return;
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (parent, args, context, info) => {
    for (const [index, representation] of (args.representations as unknown[]).entries()) {
      const { __typename: type, id } = (representation ?? {}) as Partial<Reference>;
      if (typeof id !== 'string' || typeof type !== 'string' || !isObjectType(schema.getType(type))) {
        throw new GatewayError('VALIDATION_FAILED', {
          message: 'A representation is {__typename, id} of an entity of this subgraph.',
          param: `representations[${index}]`,
        });
      }
    }
    return resolve(parent, args, context, info);
  };
}
