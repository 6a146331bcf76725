import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { maskSecret } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import type { RotateApiKeyInput } from '../../types.generated.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';
import { requireWeakerKey } from './service.ts';

/** Milliseconds; the schema says so too. */
const defaultTransition = 1_800_000;

/**
 * Gives a key a new secret. The old one works beside it for the transition, which ends with the key's own expiry at the
 * latest. While it runs, the key cannot be rotated again, so that it has two secrets at most.
 */
export async function rotateApiKey(
  context: GraphContext,
  id: string,
  input: RotateApiKeyInput | null | undefined,
) {
  const key = await requireWeakerKey(context, id, 'rotate');
  const now = context.now();
  if (key.expiresAt && key.expiresAt <= now) {
    throw invalidInput('id', 'The API key has expired; give it another expiry first.');
  }
  if (transitionEnd(key, now)) throw inTransition();
  const transition = new Date(now.getTime() + (input?.keyTransitionPeriodMs ?? defaultTransition));
  const end = key.expiresAt && key.expiresAt < transition ? key.expiresAt : transition;
  const secret = context.secrets.generateKey();
  const { matchedCount } = await apiKeyModel(context.db).updateOne(
    // Of several rotations at the same time, the first takes this secret away from the others.
    { _id: key._id, organisationId: key.organisationId, secretHash: key.secretHash },
    {
      secretHash: context.secrets.hash(secret),
      secretMask: maskSecret(secret),
      previousSecret: { hash: key.secretHash, expiresAt: end },
      lastRotatedAt: now,
    },
  );
  if (matchedCount === 0) throw inTransition();
  await context.changes.publish('api_key');
  return { id: key._id, key: secret, keyTransitionExpiresAt: end };
}

/** When the replaced secret stops working; null when there is none that works. */
export function transitionEnd({ previousSecret, expiresAt }: ApiKeyDocument, now: Date): Date | null {
  if (!previousSecret) return null;
  const end = expiresAt && expiresAt < previousSecret.expiresAt ? expiresAt : previousSecret.expiresAt;
  return end > now ? end : null;
}

const inTransition = () =>
  new GatewayError('IN_USE', {
    message: 'The API key was rotated before and its previous secret still works.',
    param: 'id',
  });
