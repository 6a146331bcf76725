import {
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  print,
  typeFromAST,
} from 'graphql';
import { bySpelling, snakeCase } from './names.ts';
import type { RestOperation } from './operation.ts';
import { parameterReader, type ReadParameter } from './parameter.ts';
import { type Convert, converterOf, invalid, unknownParameter } from './value.ts';

export type RequestInput = {
  path: Record<string, string | undefined>;
  /** Without the question mark. */
  query: string;
  /** Undefined when the request has no body. */
  body: unknown;
};

export type VariablePlan = {
  /** What a request says as the variables of the operation; throws a GatewayError naming what is wrong. */
  read(input: RequestInput): Record<string, unknown>;
  takesBody: boolean;
  /** `workspaceId` -> `workspaceId`, as the path template spells it. */
  pathSpelling: Map<string, string>;
  inputType: GraphQLInputType | null;
};

type Parameter = { name: string; required: boolean; read: ReadParameter };
type Variable = { name: string; type: GraphQLInputType; required: boolean };

const placeholder = /\{(\w+)\}/g;

/** Decides once where each variable of an operation comes from: path, query or, for `$input`, the body. */
export function planVariables(schema: GraphQLSchema, operation: RestOperation): VariablePlan {
  const { label, rest } = operation;
  const variables = new Map(variablesOf(schema, operation).map((variable) => [variable.name, variable]));
  const spelled = bySpelling(label, variables.values());
  const pathParameters: (Parameter & { spelling: string })[] = [];
  for (const [, spelling = ''] of rest.path.matchAll(placeholder)) {
    const variable = spelled.get(spelling);
    if (!variable) throw new Error(`${label}: the path has {${spelling}}, the operation no such variable.`);
    variables.delete(variable.name);
    pathParameters.push({ ...parameterOf(label, variable), spelling });
  }
  const input = variables.get('input');
  variables.delete('input');
  if (input && (rest.method === 'GET' || rest.method === 'DELETE')) {
    throw new Error(`${label}: ${rest.method} has no body, so there is nothing for $input.`);
  }
  const readBody = input ? bodyReader(input) : refuseBody;
  const readQuery = queryReader([...variables.values()].map((variable) => parameterOf(label, variable)));
  return {
    takesBody: rest.method === 'POST' || rest.method === 'PUT',
    pathSpelling: new Map(pathParameters.map(({ name, spelling }) => [name, spelling])),
    inputType: input?.type ?? null,
    read({ path, query, body }) {
      const values: Record<string, unknown> = {};
      for (const { name, spelling, read } of pathParameters) {
        values[name] = read([path[spelling] ?? ''], spelling);
      }
      readQuery(query, values);
      readBody(body, values);
      return values;
    },
  };
}

function variablesOf(schema: GraphQLSchema, { definition }: RestOperation): Variable[] {
  return (definition.variableDefinitions ?? []).flatMap((node) => {
    const type = typeFromAST(schema, node.type as never) as unknown;
    if (!isInputType(type)) throw new Error(`${print(node.type)} is no input type.`);
    const required = isNonNullType(type) && node.defaultValue === undefined;
    return [{ name: node.variable.name.value, type, required }];
  });
}

function parameterOf(label: string, { name, type, required }: Variable): Parameter {
  const read = parameterReader(type);
  if (!read) throw new Error(`${label}: a path or query parameter cannot carry $${name}: ${String(type)}.`);
  return { name, required, read };
}

function queryReader(parameters: Parameter[]) {
  const spelled = bySpelling('query', parameters);
  const required = parameters.filter((parameter) => parameter.required);
  return (query: string, values: Record<string, unknown>) => {
    if (query !== '') {
      const search = new URLSearchParams(query);
      for (const key of new Set(search.keys())) {
        const parameter = spelled.get(key);
        if (!parameter) throw unknownParameter(key);
        if (Object.hasOwn(values, parameter.name)) throw invalid(key, 'is given in two spellings.');
        values[parameter.name] = parameter.read(search.getAll(key), key);
      }
    }
    for (const { name } of required) {
      if (!Object.hasOwn(values, name)) throw invalid(snakeCase(name), 'is required.');
    }
  };
}

function bodyReader({ type, required }: Variable) {
  const convert: Convert = converterOf(type);
  return (body: unknown, values: Record<string, unknown>) => {
    if (body !== undefined) values.input = convert(body, '');
    else if (required) throw invalid('', 'is required.');
  };
}

/** Operations without `$input` tolerate an empty object, which many clients send with every POST. */
function refuseBody(body: unknown): void {
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('', 'must be empty.');
  const [member] = Object.keys(body);
  if (member !== undefined) throw unknownParameter(member);
}
