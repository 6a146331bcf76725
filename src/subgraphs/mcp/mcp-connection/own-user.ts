import { ownUser, type Principal } from '../../../auth/index.ts';
import type { GraphContext } from '../../context.ts';
import { type MemberDocument, memberModel } from '../../identity/member/index.ts';
import { type UserDocument, userModel } from '../../identity/user/index.ts';

/**
 * The user to whose connections a credential is bound: that of a key or a sign-in of somebody who administers neither the
 * organisation nor the workspace. Null where the credential reaches those of everybody.
 */
export async function boundUser(
  { db }: GraphContext,
  principal: Principal,
  workspaceId: string,
): Promise<string | null> {
  const [userId] = ownUser(principal);
  if (userId === undefined || (principal.kind !== 'workspace-user' && principal.kind !== 'user')) return null;
  const { organisationId } = principal;
  const [user, member] = await Promise.all([
    userModel(db).findOne({ _id: userId, organisationId }, { role: 1 }).lean<Pick<UserDocument, 'role'>>(),
    memberModel(db)
      .findOne({ organisationId, workspaceId, userId }, { role: 1 })
      .lean<Pick<MemberDocument, 'role'>>(),
  ]);
  const administers = user?.role === 'owner' || user?.role === 'admin' || member?.role === 'admin';
  return administers ? null : userId;
}
