import { invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { userIdsAmong } from '../user/index.ts';

/** The ids, each once; throws VALIDATION_FAILED, naming the place, for the first that is no user of the organisation. */
export async function requireUsersNamed(
  context: GraphContext,
  organisationId: string,
  ids: readonly string[],
  param: string,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const known = await userIdsAmong(context.db, organisationId, ids);
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown < 0) return [...known];
  throw invalidInput(`${param}[${unknown}]`, `${param}[${unknown}] names no user of this organisation.`);
}
