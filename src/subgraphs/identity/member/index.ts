import type { Resource } from '../../subgraph.ts';
import { memberModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedMember } from './service.ts';

export { ensureMembers, requireUsers } from './add.ts';
export { latestMembers, workspaceIdsOf } from './loaders.ts';
export { type MemberDocument, type MemberRole, memberModel } from './model.ts';
export { removeMembers } from './remove.ts';
export { requireWorkspaceUser } from './workspace-user.ts';

export const member: Resource = {
  name: 'member',
  models: [memberModel],
  resolvers,
  references: { Member: ({ id }, context) => referencedMember(context, id) },
};
