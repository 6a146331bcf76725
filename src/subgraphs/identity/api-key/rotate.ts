import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { RotateApiKeyInput } from '../../types.generated.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';
import { replaceSecret, transitionEnd } from './replace-secret.ts';
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
  const transitionMs = input?.keyTransitionPeriodMs ?? defaultTransition;
  const replaced = await replaceSecret(context, key, { transitionMs, now, byPolicy: false });
  if (!replaced) throw inTransition();
  await context.changes.publish('api_key');
  return { id: key._id, key: replaced.secret, keyTransitionExpiresAt: replaced.worksUntil };
}

/** Shows a secret that a policy made to the first who asks; from then on it is stored as its hash alone. */
export async function revealApiKey(context: GraphContext, id: string) {
  const key = await requireWeakerKey(context, id, 'rotate');
  const { unseenSecret } = key;
  const shown =
    unseenSecret === undefined
      ? null
      : await apiKeyModel(context.db)
          .findOneAndUpdate(
            { _id: key._id, organisationId: key.organisationId, unseenSecret },
            { $unset: { unseenSecret: 1 } },
          )
          .lean<ApiKeyDocument>();
  if (!shown || unseenSecret === undefined) {
    throw invalidInput(
      'id',
      'id must name a key whose policy made a secret that nobody has seen; this one is without.',
    );
  }
  return {
    id: key._id,
    key: context.secrets.decrypt(unseenSecret, key._id),
    keyTransitionExpiresAt: transitionEnd(shown, context.now()),
  };
}

const inTransition = () =>
  new GatewayError('IN_USE', {
    message: 'The API key was rotated before and its previous secret still works.',
    param: 'id',
  });
