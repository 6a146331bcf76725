import { asksFor } from '../../asks-for.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { listFacets } from './facets.ts';
import { feedbackGraphs, latencyGraph, requestGraphs, userGraphs } from './graphs.ts';
import { listGroups, type ShownGroup } from './group-page.ts';
import { listGroupRows, listMetadata, listUsers } from './groups.ts';
import { notKeptOfUsers } from './metrics.ts';
import { scopeOf } from './scope.ts';
import { type Analytics, openAnalytics } from './service.ts';

type Graphs = Record<string, (...found: never[]) => unknown>;
type Fields<Given extends Graphs> = {
  [Name in keyof Given]: (analytics: Analytics) => Promise<ReturnType<Given[Name]>>;
};

/** A field for each graph, which `draw` gives what is found. */
const fieldsOf = <Given extends Graphs>(
  graphs: Given,
  draw: (graph: Given[keyof Given], analytics: Analytics) => Promise<unknown>,
) =>
  Object.fromEntries(
    Object.entries(graphs).map(([name, graph]) => [
      name,
      (analytics: Analytics) => draw(graph as Given[keyof Given], analytics),
    ]),
  ) as Fields<Given>;

const percentiles = ['p95Latency', 'p99Latency'];

const wholeFields = Object.fromEntries(
  notKeptOfUsers.map((name) => [name, async ({ whole }: ShownGroup) => (await whole())[name]]),
) as Record<(typeof notKeptOfUsers)[number], (group: ShownGroup) => Promise<number>>;

export const resolvers = {
  Query: {
    analytics: (_parent, args, context) => openAnalytics(context, args),
    logGroups: async (_parent, args, context) =>
      listGroupRows(await scopeOf(context, args, 'logs.list'), args),
    logFacets: (_parent, args, context) => listFacets(context, args),
  },
  Analytics: {
    ...fieldsOf(requestGraphs, async (graph, { series }) => graph(await series())),
    ...fieldsOf(userGraphs, async (graph, { users }) => graph(await users())),
    ...fieldsOf(feedbackGraphs, async (graph, { scope, feedback }) => graph(scope, await feedback())),
    latency: async ({ latencySeries }) => latencyGraph(await latencySeries()),
    groups: ({ scope }, args, _context, info) =>
      listGroups(scope, { ...args, latencies: asksFor(info, percentiles) }),
    groupRows: ({ scope }, args) => listGroupRows(scope, args),
    userGroups: async ({ users }, args) => listUsers((await users()).groups, args),
    metadataGroups: ({ scope }, args) => listMetadata(scope, args),
    metadataKeys: ({ metadataKeys }) => metadataKeys(),
  },
  AnalyticsGroup: {
    ...wholeFields,
    dataPoints: ({ series }, { metric }) => series(metric),
  },
} satisfies Resolvers;
