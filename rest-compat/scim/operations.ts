import { type DocumentNode, parse, validate } from 'graphql';
import { type Graph, resultOf } from '../../src/graph/index.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';

const user = 'id userName email firstName lastName displayName externalId status createdAt lastUpdatedAt';
const group = 'id displayName externalId createdAt lastUpdatedAt';

/** What SCIM does is done by the graph, so that its scopes, bounds and audit entries hold here too. */
const texts = {
  getUser: `query ($id: ID!) { result: user(id: $id) { ${user} } }`,
  createUser: `mutation ($input: CreateScimUserInput!) { result: createScimUser(input: $input) { ${user} } }`,
  updateUser: `mutation ($id: ID!, $input: UpdateScimUserInput!) { result: updateScimUser(id: $id, input: $input) { ${user} } }`,
  deleteUser: 'mutation ($id: ID!) { result: deleteUser(id: $id) }',
  getGroup: `query ($id: ID!) { result: scimGroup(id: $id) { ${group} } }`,
  createGroup: `mutation ($input: CreateScimGroupInput!) { result: createScimGroup(input: $input) { ${group} } }`,
  updateGroup: `mutation ($id: ID!, $input: UpdateScimGroupInput!) { result: updateScimGroup(id: $id, input: $input) { ${group} } }`,
  deleteGroup: 'mutation ($id: ID!) { result: deleteScimGroup(id: $id) }',
};

export type OperationName = keyof typeof texts;

/** Runs an operation and answers the value of its field; throws the GatewayError of a refusal. */
export type RunOperation = <T>(
  name: OperationName,
  variables: Record<string, unknown>,
  context: GraphContext,
) => Promise<T>;

const known = new WeakMap<Graph, RunOperation>();

/** Checks the operations against the graph, once for each graph. */
export function createOperations(graph: Graph): RunOperation {
  const run = known.get(graph) ?? checked(graph);
  known.set(graph, run);
  return run;
}

function checked(graph: Graph): RunOperation {
  const documents = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const document = parse(text, { noLocation: true });
      const [mistake] = validate(graph.schema, document);
      if (mistake) throw new Error(`SCIM, ${name}: ${mistake.message}`);
      return [name, document];
    }),
  ) as Record<OperationName, DocumentNode>;
  return (name, variables, context) => resultOf(graph, documents[name], variables, context);
}
