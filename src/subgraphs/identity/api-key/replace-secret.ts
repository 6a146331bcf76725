import type { Connection, UpdateQuery } from 'mongoose';
import { maskSecret, type Secrets } from '../../../storage/secrets.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';

type Replacement = {
  /** Milliseconds for which the old secret works beside the new one, though not beyond the key's own expiry. */
  transitionMs: number;
  now: Date;
  byPolicy: boolean;
  /** What else must hold and change in the same write. */
  also?: { filter: object; update: UpdateQuery<ApiKeyDocument> };
};

/**
 * Gives a key a new secret in one write. Null when the key has another secret by now: of several rotations at the same
 * time, the first takes the secret away from the others.
 */
export async function replaceSecret(
  { db, secrets }: { db: Connection; secrets: Secrets },
  key: ApiKeyDocument,
  { transitionMs, now, byPolicy, also }: Replacement,
): Promise<{ secret: string; worksUntil: Date; key: ApiKeyDocument } | null> {
  const transition = new Date(now.getTime() + transitionMs);
  const worksUntil = key.expiresAt && key.expiresAt < transition ? key.expiresAt : transition;
  const secret = secrets.generateKey();
  const updated = await apiKeyModel(db)
    .findOneAndUpdate(
      { _id: key._id, organisationId: key.organisationId, secretHash: key.secretHash, ...also?.filter },
      {
        $set: {
          secretHash: secrets.hash(secret),
          secretMask: maskSecret(secret),
          previousSecret: { hash: key.secretHash, expiresAt: worksUntil },
          lastRotatedAt: now,
          ...(byPolicy && { unseenSecret: secrets.encrypt(secret, key._id) }),
          rotationNews: { at: now, worksUntil, byPolicy },
          ...also?.update,
        },
        // Nobody can use a secret that was replaced before somebody saw it.
        ...(!byPolicy && { $unset: { unseenSecret: 1 } }),
      },
      { returnDocument: 'after' },
    )
    .lean<ApiKeyDocument>();
  return updated && { secret, worksUntil, key: updated };
}

/** When the replaced secret stops working; null when there is none that works. */
export function transitionEnd({ previousSecret, expiresAt }: ApiKeyDocument, now: Date): Date | null {
  if (!previousSecret) return null;
  const end = expiresAt && expiresAt < previousSecret.expiresAt ? expiresAt : previousSecret.expiresAt;
  return end > now ? end : null;
}
