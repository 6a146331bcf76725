import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql';
import type { GraphContext } from '../../subgraphs/context.ts';
import type { Resolver } from '../../subgraphs/subgraph.ts';
import { type FieldResolver, subscribable, withRules } from '../rules/apply.ts';
import { contributed, referenced } from './entity.ts';
import { claimsOf, type EntityOwners, type SubgraphTypes } from './entity-owners.ts';

/**
 * Attaches the subgraphs' own resolvers to the public schema, so that one execution answers a query over all of them.
 * Every object of an entity type is the owner's object: what another subgraph returns is a reference that the owner
 * loads, and a field that another subgraph adds to the entity gets `{ id }` as its parent.
 */
export function fuse(
  schema: GraphQLSchema,
  subgraphs: SubgraphTypes[],
  elsewhere: ReadonlySet<string>,
): void {
  const claims = claimsOf(subgraphs, elsewhere);
  for (const subgraph of subgraphs) {
    for (const [typeName, fields] of Object.entries(subgraph.resolvers)) {
      for (const name of Object.keys(fields)) requireDeclared(subgraph, typeName, name, schema);
    }
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isAbstractType(type)) attachTypeResolver(type, subgraphs);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const own = resolverOf(schema, subgraphs, claims, type, field);
      if (type === schema.getSubscriptionType()) subscribable(schema, field, own);
      else field.resolve = withRules(schema, field, own);
    }
  }
}

function requireDeclared({ name, types }: SubgraphTypes, type: string, field: string, schema: GraphQLSchema) {
  if (field === '__resolveType' && isAbstractType(schema.getType(type))) return;
  if (types.get(type)?.fields.has(field)) return;
  throw new Error(`Subgraph ${name} has a resolver of ${type}.${field}, which its SDL does not declare.`);
}

function attachTypeResolver(
  type: Parameters<typeof isAbstractType>[0] & { name: string },
  subgraphs: SubgraphTypes[],
) {
  for (const { resolvers } of subgraphs) {
    const resolve = resolvers[type.name]?.__resolveType;
    if (resolve) Object.assign(type, { resolveType: resolve });
  }
}

function resolverOf(
  schema: GraphQLSchema,
  subgraphs: SubgraphTypes[],
  claims: EntityOwners,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, GraphContext>,
): FieldResolver | undefined {
  const coordinate = `${type.name}.${field.name}`;
  const owner = claims.ownerOf(type.name);
  const declaring = subgraphs.filter(({ types }) => types.get(type.name)?.fields.has(field.name));
  const [subgraph, ...others] = owner && declaring.includes(owner) ? [owner] : declaring;
  if (!subgraph) throw new Error(`No subgraph declares ${coordinate}.`);
  if (others.some(({ resolvers }) => resolvers[type.name]?.[field.name])) {
    throw new Error(`${coordinate} is shared; only ${subgraph.name} may have its resolver.`);
  }
  const own: Resolver | undefined = subgraph.resolvers[type.name]?.[field.name];
  const isSubscription = type === schema.getSubscriptionType();
  const isRoot = isSubscription || type === schema.getQueryType() || type === schema.getMutationType();
  const isContributed = owner !== undefined && owner !== subgraph;
  if (!own && (isRoot || isContributed)) {
    throw new Error(`Subgraph ${subgraph.name} has no resolver of ${coordinate}.`);
  }
  const local = own && isContributed ? contributed(owner.resolvers[type.name]?.id, own) : own;
  const link = linked(schema, claims, subgraph, field, coordinate, local);
  if (isSubscription && link !== local) {
    throw new Error(
      `${coordinate} may not return an entity of another subgraph, but a type that leads to it.`,
    );
  }
  return link;
}

/** Follows a reference to another subgraph's entity, when that is what the field returns. */
function linked(
  schema: GraphQLSchema,
  claims: EntityOwners,
  subgraph: SubgraphTypes,
  field: GraphQLField<unknown, GraphContext>,
  coordinate: string,
  own: FieldResolver | undefined,
): FieldResolver | undefined {
  const returned = getNamedType(field.type);
  const foreign = (name: string) => {
    const owner = claims.ownerOf(name);
    return owner === subgraph ? undefined : owner;
  };
  if (isAbstractType(returned)) {
    const stranger = schema.getPossibleTypes(returned).find(({ name }) => foreign(name));
    if (!stranger) return own;
    throw new Error(`${coordinate} may return ${stranger.name} of another subgraph, which is not supported.`);
  }
  const load = foreign(returned.name)?.references[returned.name];
  return load ? referenced(coordinate, load, own) : own;
}
