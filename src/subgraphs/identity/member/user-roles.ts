import type { Connection } from 'mongoose';
import { type UserDocument, userModel } from '../user/index.ts';
import { type MemberDocument, memberModel } from './model.ts';

/** A user in a workspace. */
type Place = { organisationId: string; workspaceId: string; userId: string };

const nameOf = ({ workspaceId, userId }: Pick<Place, 'workspaceId' | 'userId'>) => `${workspaceId} ${userId}`;

/**
 * Tells which built-in role counts for a user in each of these workspaces, such as `organisation_admin` or
 * `workspace_member`. Whoever has none there, or is gone, counts as a member.
 */
export async function rolesInWorkspaces(
  db: Connection,
  places: readonly Place[],
): Promise<(place: Pick<Place, 'workspaceId' | 'userId'>) => string> {
  const userIds = { $in: [...new Set(places.map(({ userId }) => userId))] };
  const organisationIds = { $in: [...new Set(places.map(({ organisationId }) => organisationId))] };
  const users = await userModel(db)
    .find({ _id: userIds, organisationId: organisationIds, role: { $ne: 'member' } }, { role: 1 })
    .lean<Pick<UserDocument, '_id' | 'role'>[]>();
  const members = await memberModel(db)
    .find({ organisationId: organisationIds, userId: userIds }, { workspaceId: 1, userId: 1, role: 1 })
    .lean<Pick<MemberDocument, 'workspaceId' | 'userId' | 'role'>[]>();
  const ofOrganisation = new Map(users.map(({ _id, role }) => [_id, `organisation_${role}`]));
  const ofWorkspace = new Map(members.map((member) => [nameOf(member), `workspace_${member.role}`]));
  return (place) => ofOrganisation.get(place.userId) ?? ofWorkspace.get(nameOf(place)) ?? 'workspace_member';
}
