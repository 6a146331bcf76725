import type { Resolver, Resolvers } from '../../subgraph.ts';
import { feedbackGraphs, latencyGraph, requestGraphs, userGraphs } from './graphs.ts';
import { listGroupRows, listGroups, listMetadata, listUsers } from './groups.ts';
import { scopeOf } from './scope.ts';
import { type Analytics, openAnalytics } from './service.ts';

const fieldsOf = <T>(graphs: Record<string, T>, field: (graph: T) => Resolver): Record<string, Resolver> =>
  Object.fromEntries(Object.entries(graphs).map(([name, graph]) => [name, field(graph)]));

export const resolvers: Resolvers = {
  Query: {
    analytics: (_parent, args, context) => openAnalytics(context, args),
    logGroups: async (_parent, args, context) =>
      listGroupRows(await scopeOf(context, args, 'logs.list'), args),
  },
  Analytics: {
    ...fieldsOf(
      requestGraphs,
      (graph) =>
        async ({ series }: Analytics) =>
          graph(await series()),
    ),
    ...fieldsOf(
      userGraphs,
      (graph) =>
        async ({ users }: Analytics) =>
          graph(await users()),
    ),
    ...fieldsOf(
      feedbackGraphs,
      (graph) =>
        async ({ scope, feedback }: Analytics) =>
          graph(scope, await feedback()),
    ),
    latency: async ({ latencySeries }: Analytics) => latencyGraph(await latencySeries()),
    groups: ({ scope }: Analytics, args) => listGroups(scope, args),
    groupRows: ({ scope }: Analytics, args) => listGroupRows(scope, args),
    userGroups: async ({ users }: Analytics, args) => listUsers((await users()).groups, args),
    metadataGroups: ({ scope }: Analytics, args) => listMetadata(scope, args),
  },
};
