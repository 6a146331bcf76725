export { ensureMembers, requireUsers } from './add.ts';
export { endGroupRoles, giveGroupRoles, groupMemberships } from './group-roles.ts';
export { latestMembers, workspaceIdsOf } from './loaders.ts';
export { type MemberDocument, type MemberRole, memberModel } from './model.ts';
export { removeMembers } from './remove.ts';
export { isWeaker } from './roles.ts';
export { loadUserRecords } from './user-records.ts';
export { rolesInWorkspaces } from './user-roles.ts';
export { requireWorkspaceUser } from './workspace-user.ts';
