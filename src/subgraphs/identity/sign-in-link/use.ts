import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { type StoredSignInLink, signInLinkModel } from './model.ts';

const wrongLink = () =>
  new GatewayError('UNAUTHENTICATED', {
    message: 'The link does not exist, was used, or is too old. Ask for a new one.',
  });

/** Takes a link of a user; of several tries with the same one, the first alone gets it. Throws UNAUTHENTICATED. */
export async function useSignInLink(
  { db, secrets, now }: GraphContext,
  secret: string,
): Promise<StoredSignInLink & { userId: string }> {
  const used = await signInLinkModel(db)
    .findOneAndDelete({ secretHash: secrets.hash(secret), userId: { $ne: null }, expiresAt: { $gt: now() } })
    .lean<StoredSignInLink & { userId: string }>();
  if (!used) throw wrongLink();
  return used;
}

/** A link that makes the first owner of an organisation; null when there is none under this secret. */
export const findSetUpLink = ({ db, secrets, now }: GraphContext, secret: string) =>
  signInLinkModel(db)
    .findOne({ secretHash: secrets.hash(secret), userId: null, expiresAt: { $gt: now() } })
    .lean<StoredSignInLink>();
