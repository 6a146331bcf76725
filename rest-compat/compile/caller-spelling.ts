import {
  type FieldNode,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type ValueNode,
} from 'graphql';
import { GatewayError } from '../../src/errors/index.ts';
import { snakeCase } from './names.ts';
import type { RestOperation } from './operation.ts';
import type { RequestInput, VariablePlan } from './variables.ts';

/** An error that names fields as the schema does (`input.apiKey`) as one that names them as the caller did (`api_key`). */
export function callerSpelling(
  { root }: RestOperation,
  plan: VariablePlan,
  input: RequestInput,
  error: GatewayError,
): GatewayError {
  const { param } = error;
  if (param === null && !error.errors) return error;
  const spell = (path: string) => spellPath(argumentsBelow(root), plan, input, path);
  const spellStart = (line: string) => {
    const [path = ''] = line.split(' ', 1);
    return spell(path) + line.slice(path.length);
  };
  return new GatewayError(error.code, {
    message:
      param !== null && error.message.startsWith(`${param} `) ? spellStart(error.message) : error.message,
    param: param === null ? undefined : spell(param),
    reason: error.reason ?? undefined,
    errors: error.errors?.map(spellStart),
    cause: error.cause,
  });
}

/** The arguments of a field, and of those selected in it. */
const argumentsBelow = ({ arguments: own = [], selectionSet }: FieldNode): Argument[] => [
  ...own,
  ...(selectionSet?.selections ?? []).flatMap((node) =>
    node.kind === Kind.FIELD ? argumentsBelow(node) : [],
  ),
];

type Argument = { name: { value: string }; value: ValueNode };

function spellPath(args: readonly Argument[], plan: VariablePlan, input: RequestInput, path: string): string {
  // `filters[0].name` is the argument `filters`, then `[0]`, then `name`.
  const [first = '', ...rest] = path.replace(/(?<=[\w\]])\[/g, '.[').split('.');
  const argument = args.find(({ name }) => name.value === first);
  const found = argument && variableAt(argument.value, rest);
  if (found) return spellVariable(plan, input, found.variable, found.rest, path);
  if (argument || !plan.inputType) return path;
  // Services may name a member of the input without saying `input.`.
  return spellMembers(plan.inputType, input.body, [first, ...rest]);
}

/** Follows a path into an argument of the document until it reaches the variable that carries the rest. */
function variableAt(value: ValueNode, path: string[]): { variable: string; rest: string[] } | null {
  if (value.kind === Kind.VARIABLE) return { variable: value.name.value, rest: path };
  if (value.kind !== Kind.OBJECT) return null;
  const [first, ...rest] = path;
  const field = value.fields.find(({ name }) => name.value === first);
  return field ? variableAt(field.value, rest) : null;
}

function spellVariable(
  plan: VariablePlan,
  { query, body }: RequestInput,
  variable: string,
  rest: string[],
  path: string,
): string {
  if (variable === 'input' && plan.inputType) {
    // The caller has sent one item in place of a list, so the path has no index.
    const members = rest[0] === '[0]' && !Array.isArray(body) ? rest.slice(1) : rest;
    return members.length > 0 ? spellMembers(plan.inputType, body, members) : path;
  }
  if (plan.spread.has(variable)) {
    const [member = '', ...below] = rest;
    return [spellParameter(plan, query, member), ...below].join('.').replaceAll('.[', '[');
  }
  return spellParameter(plan, query, variable);
}

function spellParameter(plan: VariablePlan, query: string, variable: string): string {
  const inPath = plan.pathSpelling.get(variable);
  if (inPath) return inPath;
  return new URLSearchParams(query).has(variable) ? variable : snakeCase(variable);
}

/** Walks the input type and the caller's body together; below a JSON scalar the names are the caller's already. */
function spellMembers(type: VariablePlan['inputType'], body: unknown, path: string[]): string {
  const spelled: string[] = [];
  let at: unknown = type;
  let value = body;
  for (const name of path) {
    if (name.startsWith('[')) {
      spelled.push(name);
      value = own(value, name.slice(1, -1));
      continue;
    }
    const holder = unwrap(at);
    const field = isInputObjectType(holder) ? holder.getFields()[name] : undefined;
    const written = !field || own(value, name) !== undefined ? name : snakeCase(name);
    spelled.push(written);
    at = field?.type;
    value = own(value, written);
  }
  return spelled.join('.').replaceAll('.[', '[');
}

function unwrap(type: unknown): unknown {
  const nullable = getNullableType(type as Parameters<typeof getNullableType>[0]);
  return isListType(nullable) ? unwrap(nullable.ofType) : nullable;
}

const own = (value: unknown, member: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, member)
    ? (value as Record<string, unknown>)[member]
    : undefined;
