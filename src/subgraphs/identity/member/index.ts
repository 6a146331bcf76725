export { ensureMembers, requireUsers } from './add.ts';
export { latestMembers, workspaceIdsOf } from './loaders.ts';
export { type MemberDocument, type MemberRole, memberModel } from './model.ts';
export { removeMembers } from './remove.ts';
export { requireWorkspaceUser } from './workspace-user.ts';
