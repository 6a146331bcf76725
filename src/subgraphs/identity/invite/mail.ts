import { secretPlace } from '../../../mail/index.ts';
import type { GraphContext } from '../../context.ts';
import type { InviteDocument } from './model.ts';

/** Sends the link to whom it is for. Where that fails the inviter still gets it, and may pass it on. */
export async function mailInvite(
  { mail, log }: Pick<GraphContext, 'mail' | 'log'>,
  { _id, organisationId, email, secretHash, expiresAt }: InviteDocument,
  inviteLink: string,
): Promise<void> {
  const text = [
    'You are invited to an organisation on Sluice, an AI gateway.',
    `Open this link and give your name to accept: ${secretPlace}`,
    `It works once, until ${expiresAt.toISOString()}. Whoever has it can take your place, so do not pass it on.`,
  ];
  const alert = {
    // Each link is an event of its own: an invite that is sent again is a new mail.
    event: `invite ${_id} ${secretHash}`,
    kind: 'invite' as const,
    organisationId,
    workspaceId: null,
    to: [email],
    subject: 'You are invited to Sluice',
    text: text.join('\n\n'),
  };
  await mail
    .sendSecret(alert, inviteLink)
    .catch((error: unknown) =>
      log.error({ error, invite: _id }, 'The mail of an invite could not be written.'),
    );
}
