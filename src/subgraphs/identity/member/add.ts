import { invalidInput } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { userIdsAmong } from '../user/index.ts';
import { type MemberDocument, memberModel } from './model.ts';
import { givenByGroupsAlone, withOwnRole } from './roles.ts';

/** Throws VALIDATION_FAILED for the first id that is no user of the organisation, or comes twice; `param` names an entry. */
export async function requireUsers(
  context: GraphContext,
  organisationId: string,
  ids: readonly string[],
  param: (index: number) => string,
): Promise<void> {
  const known = await userIdsAmong(context.db, organisationId, ids);
  ids.forEach((id, index) => {
    const at = param(index);
    if (!known.has(id)) throw invalidInput(at, `${at} names no user of this organisation.`);
    if (ids.indexOf(id) < index) throw invalidInput(at, `${at} names a user twice.`);
  });
}

/** Gives the roles by hand to those who have none by hand yet, and leaves the others as they are. Repeatable. */
export async function ensureMembers(
  context: GraphContext,
  organisationId: string,
  members: readonly Pick<MemberDocument, 'workspaceId' | 'userId' | 'role'>[],
): Promise<void> {
  if (members.length === 0) return;
  await memberModel(context.db).bulkWrite(
    members.flatMap(({ workspaceId, userId, role }) => [
      {
        updateOne: {
          filter: { organisationId, workspaceId, userId },
          update: { $setOnInsert: { _id: uuid(), role } },
          upsert: true,
        },
      },
      {
        updateOne: {
          filter: { organisationId, workspaceId, userId, ...givenByGroupsAlone },
          update: withOwnRole(role, context.now()),
          timestamps: false,
        },
      },
    ]),
  );
}
