import type { Principal } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { QuerySignInsArgs } from '../../types.generated.ts';
import { endSignIns } from './end.ts';
import { type SignInDocument, signInModel } from './model.ts';

function requirePrincipal({ principal }: GraphContext): Principal {
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  return principal;
}

/** What a credential reaches: its own sign-ins, or with the scope all of the organisation. */
function reachOf(principal: Principal, scope: string) {
  const { organisationId, id } = principal;
  return principal.scopes.has(scope) ? { organisationId } : { organisationId, principalId: id };
}

/** Newest first; those that are over are not among them. */
export async function listSignIns(
  context: GraphContext,
  { userId, ...page }: QuerySignInsArgs & PageArguments,
) {
  const principal = requirePrincipal(context);
  return findPage(
    signInModel(context.db),
    {
      ...reachOf(principal, 'organisation_users.list'),
      ...(userId && { userId }),
      endsAt: { $gt: context.now() },
    },
    page,
  );
}

export async function revokeSignIn(context: GraphContext, id: string): Promise<string> {
  const principal = requirePrincipal(context);
  const found = await signInModel(context.db)
    .findOne({ ...reachOf(principal, 'organisation_users.update'), _id: id })
    .lean<SignInDocument>();
  const { organisationId } = principal;
  if (!found || (await endSignIns(context, { organisationId, _id: id })) === 0)
    throw new GatewayError('NOT_FOUND', { message: 'The sign-in does not exist, or is over.' });
  return id;
}
