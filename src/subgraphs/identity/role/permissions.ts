import type { Connection } from 'mongoose';
import { builtInRoles, type Permission } from '../../../auth/index.ts';
import { type RoleDocument, roleModel } from './model.ts';

type PermissionsOf = (role: string) => readonly Permission[] | undefined;

/** What roles allow, by the names that access policies give them; a tenant's role that is not there allows nothing. */
export async function loadPermissions(db: Connection, roles: readonly string[]): Promise<PermissionsOf> {
  const defined = new Map((await definedRoles(db, roles)).map(({ _id, permissions }) => [_id, permissions]));
  return (role) => builtInRoles.get(role) ?? defined.get(role);
}

async function definedRoles(db: Connection, roles: readonly string[]) {
  const ids = [...new Set(roles)].filter((role) => !builtInRoles.has(role));
  if (ids.length === 0) return [];
  return roleModel(db)
    .find({ _id: { $in: ids } }, { permissions: 1 })
    .lean<Pick<RoleDocument, '_id' | 'permissions'>[]>();
}
