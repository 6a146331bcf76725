import { requireScope, type Scope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { QueryInvitesArgs } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { requireKeyScope } from '../api-key/index.ts';
import { requireGivable, requireHeld } from '../permission.ts';
import { markExpired, requireNewAddress, requireReach } from './create.ts';
import { newLink, shownLink } from './link.ts';
import { inviteById } from './loaders.ts';
import { mailInvite } from './mail.ts';
import { type InviteDocument, inviteModel } from './model.ts';
import { expiryFrom, open, statusFilter } from './status.ts';

type ListArguments = QueryInvitesArgs & SortedPageArguments;

export async function getInvite(
  context: GraphContext,
  id: string,
  scope: Scope = 'organisation_users.read',
): Promise<InviteDocument> {
  requireScope(context.principal, [scope]);
  const found = await inviteById(context).load(id);
  if (!found) throw new GatewayError('NOT_FOUND', { message: 'The invite does not exist.' });
  return found;
}

/** For references from other resources: null when the invite is gone or another organisation's. */
export async function referencedInvite(context: GraphContext, id: string): Promise<InviteDocument | null> {
  requireScope(context.principal, ['organisation_users.read']);
  return inviteById(context).load(id);
}

export async function listInvites(context: GraphContext, args: ListArguments) {
  const { organisationId } = requireScope(context.principal, ['organisation_users.list']);
  return findPage(
    inviteModel(context.db),
    {
      organisationId,
      ...(args.role && { role: args.role }),
      ...(args.email && { email: args.email.toLowerCase() }),
      ...statusFilter(args.status, context.now()),
      ...resourceFilter(args),
    },
    args,
    orderOf(args.sort),
  );
}

export async function resendInvite(context: GraphContext, id: string) {
  const principal = requireScope(context.principal, ['organisation_users.create']);
  const invite = await getInvite(context, id, 'organisation_users.create');
  const { _id, organisationId, email } = invite;
  requireGivable(principal, `organisation_${invite.role}`, 'id');
  for (const { workspaceId, role } of invite.workspaces) {
    requireReach(principal, workspaceId, 'id');
    requireGivable(principal, `workspace_${role}`, 'id');
  }
  if (invite.keyScopes) {
    requireKeyScope(principal, 'workspace-user', 'create');
    requireHeld(principal, invite.keyScopes, 'send this invite again, whose keys may do more');
  }
  await requireNewAddress(context, organisationId, email);
  await markExpired(context, organisationId, email);
  const { inviteLink, secretHash } = newLink(context);
  const updated = await orAlreadyExists(
    inviteModel(context.db)
      .findOneAndUpdate(
        { _id, organisationId, ...open },
        { status: 'pending', secretHash, expiresAt: expiryFrom(context.now()) },
        { returnDocument: 'after' },
      )
      .lean<InviteDocument>()
      .exec(),
  );
  if (!updated) throw notOpen();
  await mailInvite(context, updated, inviteLink);
  return shownLink(updated, inviteLink);
}

export async function deleteInvite(context: GraphContext, id: string): Promise<string> {
  const { _id, organisationId } = await getInvite(context, id, 'organisation_users.delete');
  const { matchedCount } = await inviteModel(context.db).updateOne(
    { _id, organisationId, ...open },
    { status: 'cancelled', secretHash: null },
  );
  if (matchedCount === 0) throw notOpen();
  return _id;
}

const notOpen = () => invalidInput('id', 'id names an invite that was accepted or cancelled.');
