// A remote subgraph in a process of its own: node test/support/remote-subgraph.ts <port> <version>
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { GraphQLError, parse } from 'graphql';

const [port, version] = process.argv.slice(2);

const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external", "@requires"])
  type Workspace @key(fields: "id") {
    id: ID!
    name: String! @external
    costCenter: String!
    greeting: String! @requires(fields: "name")
    incidents: [Incident!]!
    failing: String
    ${version === '2' ? 'supportLevel: String!' : ''}
    ${version === 'broken' ? 'slug: String!' : ''}
  }
  type Incident @key(fields: "id") { id: ID! title: String! workspace: Workspace! }
  type Query { incidents: [Incident!]! headers: [String!]! incidentIn(workspaceId: ID!): Incident }
  type Mutation { report(title: String!): Incident! }
`);

type Parent = { id: string; name?: string };

const incident = (id: string, workspaceId: string) => ({
  id,
  title: `Incident ${id}`,
  workspace: { id: workspaceId },
});
const workspaceOf = (id: string) => id.replace(/^\d+-/, '');

const resolvers = {
  Workspace: {
    costCenter: ({ id }: Parent) => `cc-${id}`,
    greeting: ({ name }: Parent) => `Hello ${name}`,
    incidents: ({ id }: Parent) => [incident(`1-${id}`, id), incident(`2-${id}`, id)],
    failing: () => {
      const extensions = { code: 'CRM_LOCKED', stacktrace: ['private'], internal: 'private' };
      throw new GraphQLError('The customer is locked.', { extensions });
    },
    supportLevel: () => 'gold',
    slug: () => 'taken over',
  },
  Incident: {
    __resolveReference: ({ id }: Parent) => incident(id, workspaceOf(id)),
  },
  Query: {
    incidents: () => [],
    incidentIn: (_parent: unknown, { workspaceId }: { workspaceId: string }) =>
      incident(`1-${workspaceId}`, workspaceId),
    headers: (_parent: unknown, _args: unknown, { headers }: { headers: string[] }) => headers,
  },
  Mutation: {
    report: (_parent: unknown, { title }: { title: string }) => ({ ...incident('3-x', 'x'), title }),
  },
};

const server = new ApolloServer<{ headers: string[] }>({
  schema: buildSubgraphSchema([{ typeDefs, resolvers }]),
});
await startStandaloneServer(server, {
  listen: { port: Number(port), host: '127.0.0.1' },
  context: async ({ req }) => ({
    headers: Object.entries(req.headers).map(([name, value]) => `${name}: ${value}`),
  }),
});
process.stdout.write('ready\n');
