import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { snakeCase } from '../../../rest-compat/compile/names.ts';
import type { RestOperation } from '../../../rest-compat/compile/operation.ts';
import { catalogue, type ErrorName } from '../../../src/errors/index.ts';
import { readRule } from '../../../src/graph/rules/read-rule.ts';
import type { TestApp } from '../../support/app.ts';
import type { Values } from './arguments.ts';
import type { Caller } from './callers.ts';
import { documentOf, type RootField } from './root-fields.ts';

/** How a call ended, alike for every surface. */
export type Outcome = {
  /** HTTP status; that of the error in the catalogue where the graph answers 200 around it. */
  status: number;
  /** Code of the error in the surface's own words, and what it says; empty without one. */
  code: string;
  message: string;
  data: unknown;
};

/** One way to call a root field. */
export type Door = {
  /** `Mutation.createConfig`, `POST /v1/configs` */
  label: string;
  root: RootField;
  /** The scopes of `anyOf` that are enough for all that is selected; null when no scope is needed. */
  opening: readonly string[] | null;
  isRest: boolean;
  /** Whether gateway keys are taken, or access tokens alone. */
  takesKeys: boolean;
  call(app: TestApp, values: Values, caller: Caller): Promise<Outcome>;
};

type GraphBody = {
  data?: unknown;
  errors?: { message: string; extensions: { code: ErrorName } }[];
};

export const graphDoor = (root: RootField): Door => ({
  label: root.coordinate,
  root,
  opening: root.anyOf,
  isRest: false,
  takesKeys: true,
  async call(app, values, headers) {
    const body = { query: documentOf(root, values), variables: values };
    const answer = await app.rest('POST', '/graphql', { key: null, headers, body });
    const { data, errors } = answer.body as GraphBody;
    const [error] = errors ?? [];
    if (!error) return { status: answer.status, code: '', message: '', data };
    const { code } = error.extensions;
    return { status: catalogue[code]?.status ?? answer.status, code, message: error.message, data };
  },
});

/** Values of variables that no argument of a root field takes, but one below it. */
const deeper: Values = { groupBy: 'model', metadataKey: 'team' };

/** The path of an operation below `prefix`, e.g. `/v1`. */
export function restDoor(
  schema: GraphQLSchema,
  root: RootField,
  operation: RestOperation,
  { prefix, takesKeys }: { prefix: string; takesKeys: boolean },
): Door {
  const { rest, definition, root: node } = operation;
  const variables = (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const argumentOf = (variable: string) =>
    node.arguments?.find(({ value }) => value.kind === Kind.VARIABLE && value.name.value === variable);
  return {
    label: `${rest.method} ${prefix}${rest.path}`,
    root,
    opening: openingOf(schema, root, operation),
    isRest: true,
    takesKeys,
    async call(app, values, headers) {
      const query = new URLSearchParams();
      let path = prefix + rest.path;
      let body: unknown;
      for (const variable of variables) {
        const name = argumentOf(variable)?.name.value ?? '';
        const value = name ? values[name] : deeper[variable];
        if (value === undefined) continue;
        const placeholder = [`{${variable}}`, `{${snakeCase(variable)}}`].find((text) => path.includes(text));
        if (placeholder) path = path.replace(placeholder, encodeURIComponent(String(value)));
        else if (variable === 'input') body = inSnakeCase(typeOf(root, name), value);
        else query.set(snakeCase(variable), String(value));
      }
      const answer = await app.rest(rest.method, `${path}?${query}`, { key: null, headers, body });
      const { status } = answer;
      if (status < 300) return { status, code: '', message: '', data: answer.body };
      const { error } = answer.body as { error?: { message: string; code: string } };
      return { status, code: error?.code ?? '', message: error?.message ?? '', data: null };
    },
  };
}

/** A document may select what asks for one of the scopes in particular. */
function openingOf(schema: GraphQLSchema, { anyOf }: RootField, { document }: RestOperation) {
  const types = new TypeInfo(schema);
  const asked: (readonly string[])[] = [];
  const enter = () => {
    const field = types.getFieldDef();
    const access = field && readRule(schema, 'access', field);
    if (access) asked.push(access.anyOf);
  };
  visit(document, visitWithTypeInfo(types, { Field: { enter } }));
  return anyOf?.filter((scope) => asked.every((scopes) => scopes.includes(scope))) ?? null;
}

const typeOf = ({ field }: RootField, name: string) =>
  field.args.find((argument) => argument.name === name)?.type as GraphQLInputType;

/** As REST spells an input: its members in snake_case, JSON values as they are. */
function inSnakeCase(type: GraphQLInputType, value: unknown): unknown {
  const nullable = getNullableType(type);
  if (Array.isArray(value) && isListType(nullable))
    return value.map((item) => inSnakeCase(nullable.ofType, item));
  if (!isInputObjectType(nullable) || typeof value !== 'object' || value === null) return value;
  const fields = nullable.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const field = fields[name];
      return [snakeCase(name), field ? inSnakeCase(field.type, member) : member];
    }),
  );
}
