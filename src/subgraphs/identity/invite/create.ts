import { type Principal, requireScope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import type { CreateInviteInput, InviteWorkspaceInput } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { grantedScopes, requireKeyScope } from '../api-key/index.ts';
import { requireGivable } from '../permission.ts';
import { userIdWithEmail } from '../user/index.ts';
import { workspaceIdsNamed } from '../workspace/index.ts';
import { newLink, shownLink } from './link.ts';
import { mailInvite } from './mail.ts';
import { type InviteDocument, inviteModel } from './model.ts';
import { expiryFrom } from './status.ts';

/** The answer is the only place where the link stands. */
export async function createInvite(context: GraphContext, input: CreateInviteInput) {
  const principal = requireScope(context.principal, ['organisation_users.create']);
  const { organisationId } = principal;
  const email = input.email.toLowerCase();
  const keys = input.workspaceApiKeyDetails;
  requireGivable(principal, `organisation_${input.role}`, 'input.role');
  const members = {
    email,
    role: input.role,
    workspaces: await namedWorkspaces(context, principal, input.workspaces),
    keyScopes:
      keys &&
      grantedScopes(
        requireKeyScope(principal, 'workspace-user', 'create'),
        'workspace-user',
        keys.scopes,
        'input.workspaceApiKeyDetails.scopes',
      ),
  };
  await requireNewAddress(context, organisationId, email);
  await markExpired(context, organisationId, email);
  const { inviteLink, secretHash } = newLink(context);
  const created = await orAlreadyExists(
    inviteModel(context.db).create({
      ...members,
      _id: uuid(),
      organisationId,
      secretHash,
      invitedBy: principal.userId ?? principal.id,
      expiresAt: expiryFrom(context.now()),
    }),
  );
  const invite = created.toObject<InviteDocument>();
  await mailInvite(context, invite, inviteLink);
  return shownLink(invite, inviteLink);
}

async function namedWorkspaces(
  context: GraphContext,
  principal: Principal,
  named: readonly InviteWorkspaceInput[],
): Promise<InviteDocument['workspaces']> {
  const names = named.map(({ id }) => id);
  const idOf = await workspaceIdsNamed(context.db, principal.organisationId, names);
  const ids = names.map((name) => idOf.get(name));
  return named.map(({ role }, index) => {
    const param = `input.workspaces[${index}].id`;
    const workspaceId = ids[index];
    if (workspaceId === undefined)
      throw invalidInput(param, `${param} names no workspace of this organisation.`);
    if (ids.indexOf(workspaceId) < index) throw invalidInput(param, `${param} names a workspace twice.`);
    requireReach(principal, workspaceId, param);
    requireGivable(principal, `workspace_${role}`, `input.workspaces[${index}].role`);
    return { workspaceId, role };
  });
}

/** Whoever gets an invite's link can take its keys: none may be for a workspace other than the inviter's. */
export function requireReach({ workspaceId }: Principal, invitedTo: string, param: string): void {
  if (workspaceId === null || workspaceId === invitedTo) return;
  throw new GatewayError('FORBIDDEN', {
    message: 'A credential for one workspace invites into that workspace only.',
    param,
  });
}

/** Throws ALREADY_EXISTS when a user of the organisation has the address. */
export async function requireNewAddress(
  context: GraphContext,
  organisationId: string,
  email: string,
): Promise<void> {
  if ((await userIdWithEmail(context.db, organisationId, email)) === null) return;
  throw new GatewayError('ALREADY_EXISTS', {
    message: 'A user of the organisation has this email already.',
    param: 'email',
  });
}

/** Only one invite for an address may be stored as pending: one whose time is over makes room. */
export async function markExpired(
  context: GraphContext,
  organisationId: string,
  email: string,
): Promise<void> {
  await inviteModel(context.db).updateMany(
    { organisationId, email, status: 'pending', expiresAt: { $lte: context.now() } },
    { status: 'expired' },
  );
}
