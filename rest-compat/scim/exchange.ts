import type { GraphContext } from '../../src/subgraphs/context.ts';
import { ownAddress } from '../../src/subgraphs/own-address.ts';
import type { QueryMembers } from './list-query.ts';
import type { RunOperation } from './operations.ts';

export const SCIM_BASE = '/scim/v2';

/** One request, as an endpoint sees it. */
export type ScimExchange = {
  context: GraphContext;
  /** What follows the name of the endpoint in the path; null for the list itself. */
  id: string | null;
  query: QueryMembers;
  run: RunOperation;
  readBody(): Promise<unknown>;
};

/** An answer; without a body it is 204. `location` is that of a new resource. */
export type ScimAnswer = { status: number; body?: object; location?: string };

export type ScimMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The methods of a path, by what they do. */
export type ScimEndpoint = Partial<
  Record<ScimMethod, (exchange: ScimExchange) => Promise<ScimAnswer> | ScimAnswer>
>;

export const locationOf = (context: GraphContext, place: string): string =>
  `${ownAddress(context)}${SCIM_BASE}/${place}`;

/** The id in the path; the list's own path has other methods. */
export const idOf = ({ id }: ScimExchange): string => id ?? '';
