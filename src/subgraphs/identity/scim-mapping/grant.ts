import type { GraphContext } from '../../context.ts';
import {
  endGroupRoles,
  giveGroupRoles,
  groupMemberships,
  isWeaker,
  type MemberRole,
} from '../member/index.ts';
import { memberIdsOf, membershipsOf } from '../scim-group/index.ts';
import { userIdsAmong } from '../user/index.ts';
import { type ScimMappingDocument, scimMappingModel } from './model.ts';

/** Users that are worked on at a time. */
const BATCH = 500;

type Due = { userId: string; workspaceId: string; role: MemberRole };

const placeOf = ({ userId, workspaceId }: Pick<Due, 'userId' | 'workspaceId'>) => `${userId} ${workspaceId}`;

/**
 * Gives users the workspaces and roles that their groups give now, and takes away what none gives any more. It starts
 * from what is stored, not from what has changed, so that it may be repeated, and repairs what failed half-way. Callers
 * hold the organisation's turn.
 */
export async function grantToUsers(
  context: GraphContext,
  organisationId: string,
  userIds: readonly string[],
): Promise<void> {
  for (let start = 0; start < userIds.length; start += BATCH) {
    await grantBatch(context, organisationId, userIds.slice(start, start + BATCH));
  }
}

/** The same for all members of a group. */
export async function grantToGroup(
  context: GraphContext,
  owner: Pick<ScimMappingDocument, 'organisationId' | 'groupId'>,
): Promise<void> {
  for await (const userIds of memberIdsOf(context, owner)) {
    await grantBatch(context, owner.organisationId, userIds);
  }
}

async function grantBatch(context: GraphContext, organisationId: string, userIds: string[]): Promise<void> {
  const [due, current] = [
    await dueTo(context, organisationId, userIds),
    await groupMemberships(context, organisationId, userIds),
  ];
  const has = new Map(current.map((member) => [placeOf(member), member.groupRole]));
  await giveGroupRoles(
    context,
    [...due.values()]
      .filter((entry) => has.get(placeOf(entry)) !== entry.role)
      .map((entry) => ({ ...entry, organisationId })),
  );
  const ended = current.filter((member) => !due.has(placeOf(member)));
  for (const [workspaceId, members] of Map.groupBy(ended, (member) => member.workspaceId)) {
    const leaving = members.map(({ userId }) => userId);
    await endGroupRoles(context, { organisationId, workspaceId }, leaving);
  }
}

/** What the groups of the active ones among the users give, the strongest role for each workspace. */
async function dueTo(
  context: GraphContext,
  organisationId: string,
  userIds: string[],
): Promise<ReadonlyMap<string, Due>> {
  const active = await userIdsAmong(context.db, organisationId, userIds, { status: { $ne: 'inactive' } });
  const memberships = await membershipsOf(context, organisationId, [...active]);
  const groupIds = [...new Set(memberships.map(({ groupId }) => groupId))];
  const mappings = await scimMappingModel(context.db)
    .find({ organisationId, groupId: { $in: groupIds }, isEnding: { $ne: true } })
    .lean<ScimMappingDocument[]>();
  const byGroup = Map.groupBy(mappings, ({ groupId }) => groupId);
  const due = new Map<string, Due>();
  for (const { userId, groupId } of memberships) {
    for (const { workspaceId, role } of byGroup.get(groupId) ?? []) {
      const entry = { userId, workspaceId, role };
      const known = due.get(placeOf(entry));
      if (!known || isWeaker(known.role, role)) due.set(placeOf(entry), entry);
    }
  }
  return due;
}
