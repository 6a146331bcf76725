import {
  type DocumentNode,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { readOperations } from '../../rest-compat/compile/operation.ts';
import { operationFiles } from '../../rest-compat/index.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';

/** The project's graph, to make documents over. */
export const { schema } = createGraph(readSources(subgraphs));

const operations = readOperations(schema, operationFiles());

/** The REST documents that read, or those that write. */
export const restDocuments = (operation: 'query' | 'mutation') =>
  operations.filter(({ definition }) => definition.operation === operation);

const operationOf = ({ definitions }: DocumentNode): OperationDefinitionNode | undefined =>
  definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);

/** Values for an operation's variables: the given ones, else the least that its types ask for. */
export function variablesFor(
  document: DocumentNode,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const definitions = operationOf(document)?.variableDefinitions ?? [];
  return Object.fromEntries(
    definitions.flatMap(({ variable: { name }, type, defaultValue }) => {
      if (name.value in given) return [[name.value, given[name.value]]];
      const declared = typeFromAST(schema, type) as GraphQLInputType;
      return isNonNullType(declared) && !defaultValue ? [[name.value, least(declared)]] : [];
    }),
  );
}

function least(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return least(type.ofType);
  if (isListType(type)) return [least(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(fields.map((field) => [field.name, least(field.type)]));
  }
  const values: Record<string, unknown> = {
    Int: 1,
    Float: 1,
    Boolean: true,
    JSON: {},
    GatewayConfig: {},
    DateTime: '2026-01-01T00:00:00Z',
  };
  return values[type.name] ?? 'sample';
}

/** `rest-compat/operations/config.graphql: getConfig` -> `config` */
export const resourceOf = (label: string) => /operations\/([\w-]+)\.graphql/.exec(label)?.[1] ?? '';

/** What the path parameters of a resource's documents are called. */
export const idNames = (id: string | undefined, workspaceId: string) => ({
  id,
  slug: id,
  logId: id,
  workspaceId,
  workspaceSlug: workspaceId,
  ...today(),
});

/** A span of time around now. */
export const today = () => ({
  startTime: new Date(Date.now() - 3_600_000).toISOString(),
  endTime: new Date(Date.now() + 3_600_000).toISOString(),
});
