import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { ownAddress } from '../../own-address.ts';
import { loadUserRecords } from '../member/index.ts';
import { requireEqual } from '../permission.ts';
import { userById } from '../user/index.ts';
import { makeSignInLink, PASSED_LINK_MS, signInLinkTo } from './make.ts';

/**
 * A link by which the user signs in once. Whoever has it acts as the user, so the caller may do all that the user may, and
 * only owners make one for an owner.
 */
export async function createSignInLink(context: GraphContext, userId: string) {
  const principal = requireScope(context.principal, ['organisation_users.update']);
  const user = await userById(context).load(userId);
  if (!user) throw new GatewayError('NOT_FOUND', { message: 'The user does not exist.', param: 'userId' });
  if (user.role === 'owner' && principal.id !== user._id) {
    throw new GatewayError('FORBIDDEN', {
      message: 'An owner gets links from `npm run console:link` on the machine, or makes them.',
      param: 'userId',
    });
  }
  const record = (await loadUserRecords(context.db, [userId])).get(userId);
  const permissions = record?.grants.flatMap((grant) => grant.permissions) ?? [];
  requireEqual(principal, permissions, 'make a link for this user, who may do more', 'userId');
  const { secret, link } = await makeSignInLink(context, {
    organisationId: user.organisationId,
    userId,
    createdBy: principal.userId ?? principal.id,
    livesMs: PASSED_LINK_MS,
  });
  return {
    id: link._id,
    userId,
    signInLink: signInLinkTo(ownAddress(context), secret),
    expiresAt: link.expiresAt,
  };
}
