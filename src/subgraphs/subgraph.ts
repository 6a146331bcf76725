import type { GraphQLResolveInfo } from 'graphql';
import type { Principal } from '../auth/index.ts';
import type { ModelOf } from '../storage/model.ts';
import type { GraphContext } from './context.ts';

/**
 * How a field is answered. The type is taken from a method, because TypeScript lets a method alone narrow its parameters:
 * the graph calls every resolver alike, and a subgraph's `resolvers.generated.ts` says what each one is called with.
 */
export type Resolver = {
  of(
    parent: unknown,
    args: Record<string, unknown>,
    context: GraphContext,
    info: GraphQLResolveInfo,
  ): unknown;
}['of'];

/** Field resolvers by type and field, e.g. `{ Query: { workspace }, Workspace: { isDefault } }`. */
export type Resolvers = Record<string, Record<string, Resolver>>;

/** Fields of the root type Subscription: each answers a stream, and the graph does the rest. */
export type SubscriptionResolvers = { Subscription: Record<string, Resolver> };

/** An entity of another subgraph, which that subgraph loads. */
export type EntityReference = { id: string };

/** Loads one entity by its key for a query that comes from another subgraph; null when the caller may not see it. */
export type ReferenceResolver = (reference: EntityReference, context: GraphContext) => unknown;

/** One resource: its own folder, the same rooms everywhere. Its SDL is `schema/<subgraph>/<name>.graphql`. */
export type Resource = {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each model has its own document type
  models: ModelOf<any>[];
  /** True for the resources that must be gone before their workspace may be deleted; every model has `workspaceId`. */
  ownedByWorkspace?: boolean;
  /** True for those that are deleted with their workspace, without a word; every model has `workspaceId`. */
  goesWithWorkspace?: boolean;
  /** True for those that no workspace has, but that must be gone before the tenant of their organisation may be deleted. */
  ownedByOrganisation?: boolean;
  /** Which documents of the first model a credential reaches, where that is not what its organisation has. */
  reach?: (principal: Principal) => object;
  resolvers: Resolvers;
  references?: Record<string, ReferenceResolver>;
};

export type Subgraph = { name: string; resources: Resource[] };
