export { type RoleDocument, roleModel } from './model.ts';
