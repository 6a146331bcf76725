import { timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { type ServiceAccountDocument, serviceAccountModel } from '../service-account/index.ts';

export type Client = { id: string; secret: string };

/** Longer ones are nobody's; they are not worth a look, nor a place in any memory. */
const MAX_LENGTH = 512;
/** What the secret of a client that does not exist is compared with: no secret hashes to it. */
const NOBODY = '0'.repeat(64);

/** A client that exists, and whether its secret is right. Null for one that does not, after the same work. */
export async function findClient(
  { db, secrets }: Pick<GraphContext, 'db' | 'secrets'>,
  { id, secret }: Client,
): Promise<{ account: ServiceAccountDocument; isGenuine: boolean } | null> {
  if (id.length > MAX_LENGTH || secret.length > MAX_LENGTH) return null;
  const account = await serviceAccountModel(db).findById(id).lean<ServiceAccountDocument>();
  const given = Buffer.from(secrets.hash(secret));
  const isGenuine = timingSafeEqual(given, Buffer.from(account?.secretHash ?? NOBODY));
  return account && { account, isGenuine };
}

export const invalidClient = (): GatewayError => new GatewayError('INVALID_CLIENT');
