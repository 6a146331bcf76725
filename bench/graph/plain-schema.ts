import { makeExecutableSchema } from '@graphql-tools/schema';
import { scalars } from '../../src/graph/composition/scalars.ts';
import type { LogRecord } from '../../src/recording/log/record.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import type { WorkspaceDocument } from '../../src/subgraphs/identity/workspace/index.ts';
import { referencedWorkspace } from '../../src/subgraphs/identity/workspace/service.ts';
import { readLogs, selectLogs } from '../../src/subgraphs/insights/log/service.ts';
import type { ConfigDocument } from '../../src/subgraphs/routing/config/index.ts';
import { maskConfig } from '../../src/subgraphs/routing/config/sealing.ts';
import { getConfig, referencedConfig } from '../../src/subgraphs/routing/config/service.ts';

/** The part of the graph that the benchmark asks for, as one would write it without subgraphs and directives. */
export const schema = makeExecutableSchema<GraphContext>({
  typeDefs: `
    scalar JSON
    scalar DateTime
    type Workspace { id: ID! slug: String! name: String! }
    type Config {
      id: ID!
      slug: String!
      name: String!
      status: String!
      config: JSON!
      createdAt: DateTime!
      lastUpdatedAt: DateTime!
      workspace: Workspace
    }
    type Log { id: ID! createdAt: DateTime! responseStatusCode: Int config: Config }
    type LogPage { data: [Log!]! }
    type Query {
      config(id: ID!): Config!
      logs(pageSize: Int! = 50): LogPage!
    }
  `,
  resolvers: {
    ...scalars,
    Query: {
      config: (_parent, { id }: { id: string }, context) => getConfig(context, id),
      logs: async (_parent, { pageSize }: { pageSize: number }, context) => ({
        data: await readLogs(
          context,
          await selectLogs(context, {
            currentPage: 0,
            pageSize,
            sort: { field: 'createdAt', direction: 'desc' },
          }),
        ),
      }),
    },
    Log: {
      id: (log: LogRecord) => log._id,
      config: ({ configId }: LogRecord, _args, context) => configId && referencedConfig(context, configId),
    },
    Config: {
      id: (config: ConfigDocument) => config._id,
      config: ({ _id, config }: ConfigDocument, _args, { secrets }) => maskConfig(config, secrets, _id),
      workspace: ({ workspaceId }: ConfigDocument, _args, context) =>
        referencedWorkspace(context, workspaceId),
    },
    Workspace: { id: (workspace: WorkspaceDocument) => workspace._id },
  },
});
