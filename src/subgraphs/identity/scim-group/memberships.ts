import { requireScope } from '../../../auth/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { type GroupMembership, groupMembershipModel } from './model.ts';

type Owner = Pick<GroupMembership, 'organisationId' | 'groupId'>;

/** Takes users into a group, and leaves those alone who are in it. */
export async function addToGroup(
  { db }: GraphContext,
  owner: Owner,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  await groupMembershipModel(db).bulkWrite(
    userIds.map((userId) => ({
      updateOne: { filter: { ...owner, userId }, update: { $setOnInsert: { _id: uuid() } }, upsert: true },
    })),
  );
}

export async function removeFromGroup(
  { db }: GraphContext,
  owner: Owner,
  userIds: readonly string[],
): Promise<void> {
  await groupMembershipModel(db).deleteMany({ ...owner, userId: { $in: userIds } });
}

/** Takes a user out of every group. */
export async function removeFromGroups({ db }: GraphContext, organisationId: string, userId: string) {
  await groupMembershipModel(db).deleteMany({ organisationId, userId });
}

/** Which users are in which groups, as far as the users are among these. */
export const membershipsOf = (
  { db }: GraphContext,
  organisationId: string,
  userIds: readonly string[],
): Promise<GroupMembership[]> =>
  groupMembershipModel(db)
    .find({ organisationId, userId: { $in: userIds } })
    .lean<GroupMembership[]>()
    .exec();

/** The ids of the members of groups, by group; null when they are more than `most` together. */
export async function groupMemberIds(
  context: GraphContext,
  groupIds: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, string[]> | null> {
  const { organisationId } = requireScope(context.principal, ['organisation_users.read']);
  const found = await orTooSlow(
    groupMembershipModel(context.db)
      .find({ organisationId, groupId: { $in: groupIds } }, { groupId: 1, userId: 1 }, boundedRead)
      .sort({ groupId: 1, userId: 1 })
      .limit(most + 1)
      .lean<Pick<GroupMembership, 'groupId' | 'userId'>[]>()
      .exec(),
  );
  if (found.length > most) return null;
  const byGroup = Map.groupBy(found, ({ groupId }) => groupId);
  return new Map([...byGroup].map(([groupId, members]) => [groupId, members.map(({ userId }) => userId)]));
}

/** Members that are read at a time. */
const BATCH = 500;

/** The ids of a group's members, a batch at a time, in the order of ids: a batch may leave while the next is read. */
export async function* memberIdsOf({ db }: GraphContext, owner: Owner): AsyncGenerator<string[]> {
  let last = '';
  for (;;) {
    const found = await groupMembershipModel(db)
      .find({ ...owner, userId: { $gt: last } }, { userId: 1 })
      .sort({ userId: 1 })
      .limit(BATCH)
      .lean<Pick<GroupMembership, 'userId'>[]>();
    if (found.length > 0) yield found.map(({ userId }) => userId);
    if (found.length < BATCH) return;
    last = found.at(-1)?.userId ?? last;
  }
}
