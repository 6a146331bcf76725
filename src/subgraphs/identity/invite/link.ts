import type { GraphContext } from '../../context.ts';
import type { InviteDocument } from './model.ts';

/** A new secret for an invite: the link that shows it once, and the hash to keep. */
export function newLink({ secrets, identity, request }: GraphContext) {
  const secret = secrets.generateKey();
  const base = identity.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`;
  return { inviteLink: `${base}/invites/${secret}`, secretHash: secrets.hash(secret) };
}

export const shownLink = (invite: InviteDocument, inviteLink: string) => ({
  id: invite._id,
  inviteLink,
  invite,
});
