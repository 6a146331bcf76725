import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { deleteUserKeys } from '../api-key/index.ts';
import { type MemberDocument, type MemberRole, memberModel } from './model.ts';
import { givenByGroupsAlone, withGroupRole, withoutGroupRole } from './roles.ts';

type Place = Pick<MemberDocument, 'organisationId' | 'workspaceId' | 'userId'>;

/** Gives what groups give; repeatable. */
export async function giveGroupRoles(
  { db, changes, now }: GraphContext,
  given: readonly (Place & { role: MemberRole })[],
): Promise<void> {
  if (given.length === 0) return;
  await memberModel(db).bulkWrite(
    given.flatMap(({ role, ...place }) => [
      {
        updateOne: {
          filter: place,
          update: { $setOnInsert: { _id: uuid(), role, groupRole: role, ownRole: null } },
          upsert: true,
        },
      },
      {
        updateOne: {
          filter: { ...place, groupRole: { $ne: role } },
          update: withGroupRole(role, now()),
          timestamps: false,
        },
      },
    ]),
  );
  await changes.publish('user');
}

/**
 * Takes away what groups gave users in a workspace; what was given by hand stays. The user keys go first, so that what
 * failed half-way can be repeated.
 */
export async function endGroupRoles(
  context: GraphContext,
  { organisationId, workspaceId }: Omit<Place, 'userId'>,
  userIds: readonly string[],
): Promise<void> {
  const members = memberModel(context.db);
  const place = { organisationId, workspaceId };
  const alone = { ...place, userId: { $in: userIds }, ...givenByGroupsAlone };
  const leaving: string[] = await members.distinct('userId', alone);
  if (leaving.length > 0) await deleteUserKeys(context, { ...place, userId: { $in: leaving } });
  await members.deleteMany(alone);
  await members.updateMany(
    { ...place, userId: { $in: userIds }, groupRole: { $ne: null } },
    withoutGroupRole(context.now()),
    { timestamps: false, updatePipeline: true },
  );
  await context.changes.publish('user');
}

/** The memberships of users that groups give. */
export const groupMemberships = (
  { db }: GraphContext,
  organisationId: string,
  userIds: readonly string[],
): Promise<MemberDocument[]> =>
  memberModel(db)
    .find({ organisationId, userId: { $in: userIds }, groupRole: { $ne: null } })
    .lean<MemberDocument[]>()
    .exec();
