import type { GraphQLField, GraphQLSchema } from 'graphql';
import { readRule } from '../../src/graph/index.ts';
import type { RestOperation } from '../operation.ts';
import { bases, type RestBase } from '../rest-directive.ts';
import type { Components } from './components.ts';
import type { Operation, Parameter } from './document.ts';
import { type AnswerName, errorAnswers } from './errors.ts';
import { exampleOf } from './example.ts';
import { inputSchema } from './input.ts';
import { answerSchema } from './output.ts';
import { parameterOf, type Variable, variablesOf } from './parameters.ts';
import { securityOf } from './surface.ts';
import { inWords } from './words.ts';

const requestId = 'x-request-id';

/** One operation on one of its bases. */
export function describeOperation(
  schema: GraphQLSchema,
  components: Components,
  operation: RestOperation,
  base: RestBase,
): Operation {
  const { rest, definition } = operation;
  const rootField = rootFieldOf(schema, operation);
  const name = definition.name?.value ?? '';
  const variables = variablesOf(schema, operation);
  const input = variables.find((variable) => variable.name === 'input');
  const parameters = parametersOf(schema, components, operation, variables);
  const access = readRule(schema, 'access', rootField)?.anyOf;
  const answer = answerSchema(schema, components, operation, rootField);
  const names = answerNames(operation, { hasBody: input !== undefined, isScoped: access !== undefined });
  return {
    operationId: name + suffixOf(operation, base),
    tags: [inWords(resourceOf(operation))],
    summary: inWords(name),
    description: [definition.description?.value ?? rootField.astNode?.description?.value, scopeText(access)]
      .filter(Boolean)
      .join('\n\n'),
    parameters: [...parameters, { $ref: `#/components/parameters/${requestId}` }],
    ...(input && { requestBody: requestBodyOf(schema, components, input, name) }),
    responses: {
      [rest.status]: {
        description: 'Done.',
        headers: { [requestId]: { $ref: `#/components/headers/${requestId}` } },
        content: { 'application/json': { schema: answer, example: exampleOf(answer, components.all()) } },
      },
      ...errorAnswers(names),
    },
    security: securityOf(base),
    ...(access && { 'x-required-scope': access }),
  };
}

/** `rest-compat/operations/api-key.graphql: getApiKey` -> `api-key` */
export const resourceOf = ({ label }: RestOperation): string =>
  /([\w-]+)\.graphql:/.exec(label)?.[1] ?? label;

function rootFieldOf(schema: GraphQLSchema, operation: RestOperation): GraphQLField<unknown, unknown> {
  const type = schema.getRootType(operation.definition.operation);
  const field = type?.getFields()[operation.root.name.value];
  if (!field) throw new Error(`${operation.label}: the root field is not in the schema.`);
  return field;
}

/** The name alone on the operation's first base, so that serving a further base renames nothing. */
function suffixOf({ rest }: RestOperation, base: RestBase): string {
  const first = bases.find((known) => rest.on.includes(known));
  return base === first ? '' : `_${base.toLowerCase()}`;
}

function parametersOf(
  schema: GraphQLSchema,
  components: Components,
  { rest }: RestOperation,
  variables: Variable[],
): Parameter[] {
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
  const body = inputSchema(schema, components, input.type, input.element);
  const example = exampleOf(body, components.all(), { of: 'request', name });
  return { required: input.required, content: { 'application/json': { schema: body, example } } };
}

const scopeText = (anyOf: string[] | undefined): string | undefined =>
  anyOf && `Needs the scope ${anyOf.map((scope) => `\`${scope}\``).join(' or ')}.`;

function answerNames(
  { rest }: RestOperation,
  { hasBody, isScoped }: { hasBody: boolean; isScoped: boolean },
): AnswerName[] {
  const takesBody = rest.method === 'POST' || rest.method === 'PUT';
  const names: (AnswerName | false)[] = [
    hasBody ? 'BadRequestBody' : 'BadRequest',
    'Unauthenticated',
    isScoped && 'Forbidden',
    rest.path.includes('{') && 'NotFound',
    rest.method !== 'GET' && 'Conflict',
    takesBody && 'BodyTooLarge',
    takesBody && 'UnsupportedMediaType',
    'Internal',
    'Unavailable',
  ];
  return names.filter((name) => name !== false);
}
