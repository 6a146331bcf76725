import { type GraphQLInputType, getNullableType, isInputObjectType } from 'graphql';
import { snakeCase } from './names.ts';
import { invalid } from './value.ts';
import type { RequestInput } from './variables.ts';

type PathParameter = { name: string; spelling: string };

/**
 * Takes the members off a body that only repeat its path, as SDKs that keep an object whole send them. Members that the
 * input type has are its own business.
 */
export function pathMembersDropper(
  type: GraphQLInputType | undefined,
  parameters: PathParameter[],
): (input: RequestInput) => unknown {
  const inputType = type && getNullableType(type);
  if (!isInputObjectType(inputType)) return ({ body }) => body;
  const fields = inputType.getFields();
  const repeatable = new Map<string, string>();
  for (const { name, spelling } of parameters) {
    if (Object.values(fields).some((field) => snakeCase(field.name) === snakeCase(name))) continue;
    for (const written of [name, snakeCase(name)]) repeatable.set(written, spelling);
  }
  return ({ path, body }) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    const members = Object.entries(body);
    const isRepeated = ([member]: [string, unknown]) => repeatable.has(member);
    for (const [member, value] of members.filter(isRepeated)) {
      if (value !== path[repeatable.get(member) ?? '']) throw invalid(member, 'is not what the path says.');
    }
    return Object.fromEntries(members.filter((entry) => !isRepeated(entry)));
  };
}
