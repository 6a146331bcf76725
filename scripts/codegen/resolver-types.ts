import { codegen } from '@graphql-codegen/core';
import * as resolvers from '@graphql-codegen/typescript-resolvers';
import { type DocumentNode, Kind, visit } from 'graphql';
import type { SubgraphDocument } from '../../src/graph/composition/compose.ts';
import { parentTypes } from './parent-types.ts';
import { prepended, typeConfig, withoutConstants } from './type-config.ts';

/** The types that the resolvers of one subgraph are written against. */
export const resolverTypes = ({ name, document }: SubgraphDocument, filename: string): Promise<string> =>
  codegen({
    filename,
    schema: answeredByResolvers(document),
    documents: [],
    plugins: [{ add: {} }, { resolvers: {} }],
    pluginMap: { add: prepended("import type * as Types from '../types.generated.ts';"), resolvers },
    config: {
      ...typeConfig,
      namespacedImportName: 'Types',
      contextType: '../context.ts#GraphContext',
      makeResolverTypeCallable: true,
      mappers: parentTypes(name, document),
    },
  });

/**
 * What is left to resolvers, in plain SDL: the value of a `@constant` stands in the SDL, and a field of Subscription
 * answers a stream of its own (`Subscriptions` in src/subgraphs/subgraph.ts).
 */
const answeredByResolvers = (document: DocumentNode): DocumentNode =>
  visit(withoutConstants(document), {
    [Kind.SCHEMA_EXTENSION]: () => null,
    [Kind.DIRECTIVE_DEFINITION]: () => null,
    [Kind.OBJECT_TYPE_DEFINITION]: ({ name }) => (name.value === 'Subscription' ? null : undefined),
    [Kind.DIRECTIVE]: () => null,
  });
