import { type GraphQLInputType, getNullableType, isInputObjectType } from 'graphql';
import { snakeCase } from './names.ts';
import type { RestDirective } from './rest-directive.ts';
import { invalid } from './value.ts';

type Parameters = Record<string, string | undefined>;

export type PathRepetition = {
  /** Whether a member or a query parameter of this name does no more than repeat the path. */
  has(name: string): boolean;
  /** Throws VALIDATION_FAILED for a value that the path contradicts. */
  check(name: string, value: unknown, path: Parameters): void;
  /** A body without the members that repeat the path. */
  strip(body: unknown, path: Parameters): unknown;
};

const placeholder = /^\{([\w-]+)\}$/;

/**
 * What a request may say a second time beside its path, as SDKs do that keep an object whole: each parameter of the path
 * by its name, that of `/feedback/{id}` as `feedback_id` too, and fixed segments by the names that the document gives
 * them. Names of the operation's `own` parameters and members are their own business.
 */
export function pathRepetition(
  { path, repeats = path }: Pick<RestDirective, 'path' | 'repeats'>,
  input: GraphQLInputType | undefined,
  own: ReadonlySet<string>,
): PathRepetition {
  /** The value that the path gives to each name. */
  const said = new Map<string, (path: Parameters) => string | undefined>();
  const note = (name: string, saidBy: (path: Parameters) => string | undefined) => {
    if (!own.has(snakeCase(name))) said.set(name, saidBy);
  };
  const segments = path.split('/');
  for (const [index, named] of repeats.split('/').entries()) {
    const [segment = '', before = ''] = [segments[index], segments[index - 1]];
    const [parameter, name] = [placeholder.exec(segment)?.[1], placeholder.exec(named)?.[1]];
    const saidBy = (path: Parameters) => (parameter === undefined ? segment : path[parameter]);
    for (const spelling of name === undefined ? [] : namesOf(name, before)) note(spelling, saidBy);
  }
  const check: PathRepetition['check'] = (name, value, parameters) => {
    const expected = said.get(name)?.(parameters);
    if ((typeof value === 'number' ? String(value) : value) === expected) return;
    throw invalid(name, `must be ${JSON.stringify(expected)}, as the path says, or be left out.`);
  };
  // A body that is no object has no members to compare.
  const isStripped = input === undefined || isInputObjectType(getNullableType(input));
  return {
    has: (name) => said.has(name),
    check,
    strip(body, parameters) {
      if (!isStripped || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
      const members = Object.entries(body);
      const rest = members.filter(([name]) => !said.has(name));
      if (rest.length === members.length) return body;
      for (const [name, value] of members) if (said.has(name)) check(name, value, parameters);
      return Object.fromEntries(rest);
    },
  };
}

/** `{userId}` -> `userId`, `user_id`; `{sub-type}` and `/feedback/{id}` -> `id` and `feedback_id` likewise. */
function namesOf(name: string, before: string): string[] {
  const snake = snakeCase(name).replaceAll('-', '_');
  const names = [name, snake, camelCase(snake)];
  return name === 'id' ? [...names, ...namesOf(`${before.replace(/s$/, '')}-id`, '')] : names;
}

const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
