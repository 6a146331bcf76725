import type { GraphContext } from '../../context.ts';
import { type MemberDocument, memberModel } from './model.ts';

/** Ends the memberships of a user, or of a workspace. */
export async function removeMembers(
  context: GraphContext,
  owner: Pick<MemberDocument, 'organisationId'> & Partial<Pick<MemberDocument, 'userId' | 'workspaceId'>>,
): Promise<void> {
  await memberModel(context.db).deleteMany(owner);
}
