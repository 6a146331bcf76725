export { type RoleDocument, roleModel } from './model.ts';
export { loadPermissions } from './permissions.ts';
