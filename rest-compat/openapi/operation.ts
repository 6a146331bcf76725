import type { GraphQLField, GraphQLSchema } from 'graphql';
import { readRule } from '../../src/graph/index.ts';
import type { RestOperation } from '../compile/operation.ts';
import type { RestBase, RestMethod } from '../compile/rest-directive.ts';
import type { Components } from './components.ts';
import type { OpenApiOperation, OpenApiParameter } from './document.ts';
import type { AnswerName } from './errors.ts';
import { exampleValue } from './example.ts';
import { framed } from './frame.ts';
import { answerReferences, headersOf, requestReferences } from './headers.ts';
import { inputSchema } from './input.ts';
import { answerSchema } from './output.ts';
import { parameterOf, type Variable, variablesOf } from './parameters.ts';
import { inWords } from './readable-names.ts';
import { scopesOfOperation } from './scopes.ts';

/** One operation on one of its bases; `isReadable`: a GET of the same path gives the ETag that a write may name. */
export function describeOperation(
  schema: GraphQLSchema,
  components: Components,
  operation: RestOperation,
  { base, isReadable }: { base: RestBase; isReadable: boolean },
): OpenApiOperation {
  const { method, path, on, status, legacyRefusals, errors, unknown } = operation.rest;
  const rootField = rootFieldOf(schema, operation);
  const name = operation.definition.name?.value ?? '';
  const variables = variablesOf(schema, operation);
  const input = variables.find((variable) => variable.name === 'input');
  const answer = answerSchema(schema, components, operation, rootField);
  const headers = headersOf(method, isReadable);
  const frame = {
    ...{ name, method, path, on, errors, unknown },
    tag: inWords(resourceOf(operation)),
    description: operation.definition.description?.value ?? rootField.astNode?.description?.value,
    scopes: scopesOfOperation(schema, operation),
    isPublic: readRule(schema, 'public', rootField) !== null,
    takesBody: input !== undefined,
    mayAnswer: [
      ...conditionalAnswers(method, isReadable),
      ...(legacyRefusals ? (['LegacyUnauthenticated'] as const) : []),
    ],
  };
  return framed(frame, base, {
    parameters: [
      ...parametersOf(schema, components, operation, variables),
      ...requestReferences(headers.request),
    ],
    ...(input && { requestBody: requestBodyOf(schema, components, input, name) }),
    responses: {
      [status]: {
        description: 'Done.',
        headers: answerReferences(headers.answer),
        content: { 'application/json': { schema: answer, example: exampleValue(answer, components.all()) } },
      },
    },
  });
}

function conditionalAnswers(method: RestMethod, isReadable: boolean): AnswerName[] {
  if (method === 'GET') return ['NotModified'];
  if (method === 'POST') return ['KeyReused'];
  return isReadable ? ['PreconditionFailed'] : [];
}

/** `rest-compat/operations/api-key.graphql: getApiKey` -> `api-key` */
export const resourceOf = ({ label }: RestOperation): string =>
  /([\w-]+)\.graphql:/.exec(label)?.[1] ?? label;

/** The field of the graph that an operation asks for. */
export function rootFieldOf(schema: GraphQLSchema, operation: RestOperation): GraphQLField<unknown, unknown> {
  const type = schema.getRootType(operation.definition.operation);
  const field = type?.getFields()[operation.root.name.value];
  if (!field) throw new Error(`${operation.label}: the root field is not in the schema.`);
  return field;
}

function parametersOf(
  schema: GraphQLSchema,
  components: Components,
  { rest }: RestOperation,
  variables: Variable[],
): OpenApiParameter[] {
  const inPath = new Map(
    [...rest.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [camelCase(name), name]),
  );
  return variables
    .filter(({ name }) => name !== 'input')
    .map((variable) => parameterOf(schema, components, variable, inPath.get(variable.name)));
}

const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());

function requestBodyOf(schema: GraphQLSchema, components: Components, input: Variable, name: string) {
  const declared = inputSchema(schema, components, input.type, input.element);
  const example = exampleValue(declared, components.all(), { of: 'request', name });
  // A body with one item stands for a list of that item.
  const body = declared.items ? { anyOf: [declared.items, declared] } : declared;
  return { required: input.required, content: { 'application/json': { schema: body, example } } };
}
