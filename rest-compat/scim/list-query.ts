import type { GraphContext } from '../../src/subgraphs/context.ts';
import type { ScimList, ScimQuery } from '../../src/subgraphs/identity/scim-filter/index.ts';
import { readQuery } from '../compile/query.ts';
import { invalidValue, ScimFault } from './fault.ts';
import { schemaIds } from './schema-ids.ts';

const DEFAULT_COUNT = 100;
/** A client that asks for more gets so many: it goes on by `startIndex`. */
export const MAX_COUNT = 500;

export type QueryMembers = ReadonlyMap<string, string>;

/** The query of a request, names in lower case; what is not known is left alone, as RFC 7644 wants it. */
export function queryOf({ request }: GraphContext): QueryMembers {
  const members = new Map<string, string>();
  for (const [name, value] of readQuery(request.query)) {
    if (members.has(name.toLowerCase())) throw invalidValue(`${name} is given more than once.`);
    members.set(name.toLowerCase(), value);
  }
  return members;
}

/** RFC 7644, section 3.4.2.4: values that are too small count as the least one. */
export function listQueryOf(members: QueryMembers): ScimQuery {
  const filter = members.get('filter');
  return {
    ...(filter !== undefined && { filter }),
    startIndex: Math.max(1, integer(members, 'startindex', 1)),
    count: Math.min(MAX_COUNT, Math.max(0, integer(members, 'count', DEFAULT_COUNT))),
  };
}

function integer(members: QueryMembers, name: string, otherwise: number): number {
  const text = members.get(name);
  if (text === undefined) return otherwise;
  if (!/^-?\d{1,15}$/.test(text)) throw new ScimFault('invalidValue', `${name} must be an integer.`);
  return Number(text);
}

export const listResponse = (
  { totalResults, startIndex }: Pick<ScimList<unknown>, 'totalResults' | 'startIndex'>,
  resources: object[],
) => ({
  schemas: [schemaIds.list],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
