import type { GraphContext } from '../../context.ts';
import { ownAddress } from '../../own-address.ts';
import type { InviteDocument } from './model.ts';

/** A new secret for an invite: the link that shows it once, and the hash to keep. */
export function newLink(context: GraphContext) {
  const { secrets } = context;
  const secret = secrets.generateKey();
  return { inviteLink: `${ownAddress(context)}/invites/${secret}`, secretHash: secrets.hash(secret) };
}

export const shownLink = (invite: InviteDocument, inviteLink: string) => ({
  id: invite._id,
  inviteLink,
  invite,
});
