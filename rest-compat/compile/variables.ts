import {
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  print,
  typeFromAST,
} from 'graphql';
import { bySpelling, snakeCase } from './names.ts';
import type { RestOperation } from './operation.ts';
import { listItems, type ParameterReader, parameterReader } from './parameter.ts';
import { type PathRepetition, pathRepetition } from './path-members.ts';
import { listName, readQuery } from './query.ts';
import { type Convert, converterOf, invalid, missing, unknownParameter } from './value.ts';

export type RequestInput = {
  path: Record<string, string | undefined>;
  /** Without the question mark. */
  query: string;
  /** Undefined when the request has no body. */
  body: unknown;
};

export type VariablePlan = {
  /** Reads a request as the variables of the operation; throws a GatewayError that names what is wrong. */
  read(input: RequestInput): Record<string, unknown>;
  /** The part of a query string that the operation has parameters for. */
  keepKnown(query: string): string;
  /** `workspaceId` -> `workspaceId`, as the path template spells it. */
  pathSpelling: Map<string, string>;
  inputType: GraphQLInputType | null;
  /** Variables of an input type whose members are parameters. */
  spread: ReadonlySet<string>;
};

type Parameter = ParameterReader & {
  name: string;
  required: boolean;
  /** The variable that the parameter is a member of. */
  within?: string;
};
type Variable = { name: string; type: GraphQLInputType; required: boolean };

const placeholder = /\{(\w+)\}/g;

/**
 * Decides once where each variable of an operation comes from: path, query or, for `$input`, the body. A variable of an
 * input type in the query has a parameter for each of its members.
 */
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
  const parameters = [...variables.values()].flatMap((variable) => queryParametersOf(label, variable));
  const members = (input && inputMembers(input.type)) ?? [];
  const own = new Set([...parameters, ...members].map(({ name }) => snakeCase(name)));
  const repeated = pathRepetition(rest, input?.type, own);
  const queryParameters = queryReader(parameters, repeated);
  return {
    keepKnown: queryParameters.keepKnown,
    pathSpelling: new Map(pathParameters.map(({ name, spelling }) => [name, spelling])),
    inputType: input?.type ?? null,
    spread: new Set([...variables.values()].filter(({ type }) => inputMembers(type)).map(({ name }) => name)),
    read(request) {
      const { path, query, body } = request;
      const values: Record<string, unknown> = {};
      for (const { name, spelling, read } of pathParameters) {
        values[name] = read([path[spelling] ?? ''], spelling);
      }
      queryParameters.read(query, path, values);
      readBody(repeated.strip(body, path), values);
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
  const reader = parameterReader(type);
  if (!reader) throw new Error(`${label}: a path or query parameter cannot carry $${name}: ${String(type)}.`);
  return { ...reader, name, required };
}

/** The members of an input type; null for every other type. */
export function inputMembers(type: GraphQLInputType): GraphQLInputField[] | null {
  const nullable = getNullableType(type);
  return isInputObjectType(nullable) ? Object.values(nullable.getFields()) : null;
}

function queryParametersOf(label: string, variable: Variable): Parameter[] {
  const members = inputMembers(variable.type);
  if (!members) return [parameterOf(label, variable)];
  return members.map((member) => ({
    ...parameterOf(label, { ...member, required: isRequiredInputField(member) }),
    within: variable.name,
  }));
}

type QueryReader = {
  read(query: string, path: RequestInput['path'], values: Record<string, unknown>): void;
  keepKnown(query: string): string;
};

function queryReader(parameters: Parameter[], repeated: PathRepetition): QueryReader {
  const spelled = bySpelling('query', parameters);
  const required = parameters.filter((parameter) => parameter.required);
  return {
    read(query, path, values) {
      const said = readQuery(query).filter(([name, text]) => {
        if (!repeated.has(name)) return true;
        repeated.check(name, text, path);
        return false;
      });
      for (const { parameter, spelling, texts } of gather(spelled, said)) {
        holderOf(parameter, values)[parameter.name] = parameter.read(texts, spelling);
      }
      for (const parameter of required) {
        const { name } = parameter;
        if (!Object.hasOwn(holderOf(parameter, values), name)) throw missing(snakeCase(name));
      }
    },
    keepKnown(query) {
      const known = readQuery(query).filter(([name]) => spelled.has(listName(name).name));
      return new URLSearchParams(known).toString();
    },
  };
}

/** The variable, or the member of one, that takes the value of a parameter. */
function holderOf({ within }: Parameter, values: Record<string, unknown>): Record<string, unknown> {
  if (within === undefined) return values;
  values[within] ??= {};
  return values[within] as Record<string, unknown>;
}

type Given = { parameter: Parameter; spelling: string; texts: string[] };

function gather(spelled: Map<string, Parameter>, said: [name: string, text: string][]): Iterable<Given> {
  const found = new Map<string, Given>();
  for (const [written, text] of said) {
    const { name: spelling, bracketed } = listName(written);
    const parameter = spelled.get(spelling);
    if (!parameter || (bracketed && !parameter.isList)) throw unknownParameter(written);
    const given = found.get(parameter.name) ?? { parameter, spelling, texts: [] };
    if (given.spelling !== spelling) throw invalid(spelling, 'is given in two spellings.');
    found.set(parameter.name, given);
    given.texts.push(...(parameter.isList ? listItems(text, bracketed) : [text]));
  }
  return found.values();
}

/** For a list, a body with one item stands for a list of that item, as in GraphQL. */
function bodyReader({ type, required }: Variable) {
  const convert: Convert = converterOf(type);
  const list = getNullableType(type);
  const convertItem = isListType(list) ? converterOf(list.ofType) : null;
  return (body: unknown, values: Record<string, unknown>) => {
    if (body === undefined) {
      if (required) throw missing('');
      return;
    }
    values.input =
      convertItem && body !== null && !Array.isArray(body) ? [convertItem(body, '')] : convert(body, '');
  };
}

/** Operations without `$input` tolerate an empty object, which many clients send with every POST. */
function refuseBody(body: unknown): void {
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('', 'must be empty.');
  const [member] = Object.keys(body);
  if (member !== undefined) throw unknownParameter(member);
}
