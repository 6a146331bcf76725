import type { Connection } from 'mongoose';
import { builtInRoles, switchStates } from '../../../auth/index.ts';
import type { Grant, UserRecord } from '../../../directory/memory.ts';
import { organisationSettings } from '../organisation/index.ts';
import { type TenantDocument, tenantModel } from '../tenant/index.ts';
import { type UserDocument, userModel } from '../user/index.ts';
import { type MemberDocument, memberModel } from './model.ts';

/** Active users by id, with what they may do at this moment. The reads are as many for one user as for five hundred. */
export async function loadUserRecords(db: Connection, ids: string[]): Promise<Map<string, UserRecord>> {
  const users = await userModel(db)
    .find({ _id: { $in: ids }, status: { $ne: 'inactive' } }, { organisationId: 1, email: 1, role: 1 })
    .lean<UserDocument[]>();
  const organisationIds = [...new Set(users.map(({ organisationId }) => organisationId))];
  const members = await memberModel(db)
    .find({ organisationId: { $in: organisationIds }, userId: { $in: ids } })
    .lean<MemberDocument[]>();
  const tenants = await tenantModel(db)
    .find({ organisationId: { $in: organisationIds }, isBeingDeleted: { $ne: true } }, { organisationId: 1 })
    .lean<TenantDocument[]>();
  const tsgIds = new Map(tenants.map(({ _id, organisationId }) => [organisationId, _id]));
  const settings = await organisationSettings(db, organisationIds);
  const byUser = Map.groupBy(members, ({ userId }) => userId);
  return new Map(
    users.map((user) => {
      const { _id, email, organisationId } = user;
      const grants = grantsOf(user, byUser.get(_id) ?? []);
      const tsgId = tsgIds.get(organisationId) ?? null;
      const states = switchStates(settings.get(organisationId));
      return [_id, { id: _id, email, organisationId, tsgId, grants, switches: states }];
    }),
  );
}

/** Owners and admins reach every workspace; members those that have taken them in. */
function grantsOf({ role, organisationId }: UserDocument, members: MemberDocument[]): Grant[] {
  if (role !== 'member') return [grantOf(`organisation_${role}`, null)];
  return members
    .filter((member) => member.organisationId === organisationId)
    .map((member) => grantOf(`workspace_${member.role}`, member.workspaceId));
}

const grantOf = (role: string, workspaceId: string | null): Grant => ({
  workspaceId,
  role,
  permissions: builtInRoles.get(role) ?? [],
});
