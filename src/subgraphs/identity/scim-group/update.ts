import type { GraphContext } from '../../context.ts';
import type { UpdateScimGroupInput } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { grantToUsers } from '../scim-mapping/index.ts';
import { usersInTurn } from '../users-in-turn.ts';
import { requireUsersNamed } from './input.ts';
import { addToGroup, memberIdsOf, removeFromGroup } from './memberships.ts';
import { type ScimGroupDocument, scimGroupModel } from './model.ts';
import { getGroup, nameTaken } from './service.ts';

/**
 * Changes a group, then gives or takes away what follows for the users named. That is done for those too who were in the
 * group, or out of it, before: whoever repeats a change that failed half-way completes it.
 */
export async function updateGroup(
  context: GraphContext,
  id: string,
  input: UpdateScimGroupInput,
): Promise<ScimGroupDocument> {
  const group = await getGroup(context, id, 'organisation_users.update');
  const { _id: groupId, organisationId } = group;
  return usersInTurn(context, organisationId, async () => {
    const owner = { organisationId, groupId };
    const named = (['memberIds', 'addMemberIds'] as const).map((member) =>
      requireUsersNamed(context, organisationId, input[member] ?? [], `input.${member}`),
    );
    const added = (await Promise.all(named)).flat();
    const updated = await rename(context, group, input);
    for await (const userIds of input.memberIds ? memberIdsOf(context, owner) : []) {
      const kept = new Set(input.memberIds);
      const leaving = userIds.filter((userId) => !kept.has(userId));
      await removeFromGroup(context, owner, leaving);
      await grantToUsers(context, organisationId, leaving);
    }
    const removed = input.removeMemberIds ?? [];
    await removeFromGroup(context, owner, removed);
    await addToGroup(context, owner, added);
    await grantToUsers(context, organisationId, [...new Set([...added, ...removed])]);
    return updated;
  });
}

/** Also says when the group was changed last, its members included. */
async function rename(
  { db, now }: GraphContext,
  group: ScimGroupDocument,
  { displayName, externalId }: UpdateScimGroupInput,
): Promise<ScimGroupDocument> {
  const { _id, organisationId } = group;
  const updated = await orAlreadyExists(
    scimGroupModel(db)
      .findOneAndUpdate(
        { _id, organisationId },
        {
          ...(displayName != null && { name: displayName, nameKey: displayName.toLowerCase() }),
          ...(externalId !== undefined && { externalId }),
          lastUpdatedAt: now(),
        },
        { returnDocument: 'after' },
      )
      .orFail()
      .lean<ScimGroupDocument>()
      .exec(),
    nameTaken,
  );
  return updated;
}
