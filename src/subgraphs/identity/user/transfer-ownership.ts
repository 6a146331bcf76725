import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { requireGivable } from '../permission.ts';
import { usersInTurn } from '../users-in-turn.ts';
import { userById } from './loaders.ts';
import { type UserDocument, userModel } from './model.ts';

/**
 * Makes a user the owner. An owner who hands over becomes an admin; where nobody owns the organisation yet, whoever holds
 * all that an owner holds names the first one. The new owner comes first, so that there is one at any moment.
 */
export async function transferOwnership(context: GraphContext, userId: string): Promise<UserDocument> {
  const principal = requireScope(context.principal, ['organisation_users.update']);
  const { organisationId } = principal;
  const user = await userById(context).load(userId);
  if (!user) throw new GatewayError('NOT_FOUND', { message: 'The user does not exist.', param: 'userId' });
  const users = userModel(context.db);
  const isOwner = { organisationId, role: 'owner' as const };
  const changed = await usersInTurn(context, organisationId, async () => {
    const caller = principal.kind === 'user' ? await users.exists({ ...isOwner, _id: principal.id }) : null;
    if (!caller) {
      if (await users.exists(isOwner)) {
        throw new GatewayError('FORBIDDEN', { message: 'Only an owner hands the ownership over.' });
      }
      requireGivable(principal, 'organisation_owner', 'userId');
    }
    const updated = await users
      .findOneAndUpdate({ _id: userId, organisationId }, { role: 'owner' }, { returnDocument: 'after' })
      .lean<UserDocument>();
    if (updated && caller && principal.id !== userId)
      await users.updateOne({ _id: principal.id, organisationId }, { role: 'admin' });
    return updated;
  });
  if (!changed) throw new GatewayError('NOT_FOUND', { message: 'The user does not exist.', param: 'userId' });
  await context.changes.publish('user');
  return changed;
}
