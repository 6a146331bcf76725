import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { type StoredSignInLink, signInLinkModel } from './model.ts';

const MINUTE_MS = 60_000;

/** Milliseconds that a link lives which was printed on the machine, or shown to a new owner. */
export const OWN_LINK_MS = 15 * MINUTE_MS;
/** Milliseconds that a link lives which an administrator passes on. */
export const PASSED_LINK_MS = 24 * 60 * MINUTE_MS;

type LinkMaker = Pick<GraphContext, 'db' | 'secrets' | 'now'>;
type Wanted = Pick<StoredSignInLink, 'organisationId' | 'userId' | 'createdBy'> & { livesMs: number };

/** Stores a new link; the answer is the only place where its secret stands. */
export async function makeSignInLink(
  { db, secrets, now }: LinkMaker,
  { livesMs, ...wanted }: Wanted,
): Promise<{ secret: string; link: StoredSignInLink }> {
  const secret = secrets.generateKey();
  const created = await signInLinkModel(db).create({
    ...wanted,
    _id: uuid(),
    secretHash: secrets.hash(secret),
    expiresAt: new Date(now().getTime() + livesMs),
  });
  return { secret, link: created.toObject<StoredSignInLink>() };
}

/** The link that signs a user in. The secret is in the fragment, which browsers send to nobody. */
export const signInLinkTo = (address: string, secret: string): string => `${address}/console/#${secret}`;

/** The link that makes the first owner. */
export const setUpLinkTo = (address: string, secret: string): string =>
  `${address}/console/welcome#${secret}`;
