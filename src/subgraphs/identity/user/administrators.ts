import type { GraphContext } from '../../context.ts';
import { type UserDocument, userModel } from './model.ts';

/**
 * False for whoever is the last active user of the kind: the last owner or, where nobody is an owner, the last admin. A
 * member is never the last one.
 */
export async function hasOtherAdministrator(
  { db }: GraphContext,
  { _id, organisationId, role }: UserDocument,
): Promise<boolean> {
  if (role === 'member') return true;
  const roles: UserDocument['role'][] = role === 'owner' ? ['owner'] : ['owner', 'admin'];
  const other = {
    organisationId,
    role: { $in: roles },
    _id: { $ne: _id },
    status: { $ne: 'inactive' as const },
  };
  return (await userModel(db).exists(other)) !== null;
}
