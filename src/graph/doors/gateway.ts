import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import type { GraphContext } from '../../subgraphs/context.ts';
import type { ServedGraph } from '../composition/served-graph.ts';
import { untilAborted } from '../safety/deadline.ts';

type Gateway = ApolloServerOptionsWithGateway<object>['gateway'];

/** The graph in the form in which Apollo Server takes a schema that may change while it runs. */
export const apolloGateway = (served: ServedGraph, hideSuggestions: boolean): Gateway => ({
  onSchemaLoadOrUpdate(callback) {
    const tell = () => callback({ apiSchema: served.schema, coreSupergraphSdl: served.supergraphSdl });
    tell();
    return served.onChange(tell);
  },
  load: async () => ({
    executor: async ({ schema, document, request, operationName, context }) =>
      untilAborted(
        served.execute({
          schema,
          document,
          contextValue: context,
          variableValues: request.variables ?? null,
          operationName: operationName ?? null,
          hideSuggestions,
        }),
        (context as Partial<GraphContext>).signal,
      ),
  }),
  stop: async () => undefined,
});
