import type { WebhookMessage } from '../../../../webhooks/index.ts';
import type { ApiKeyDocument, RotationNews } from '../model.ts';

/** Names a rotation: whoever is told of it again is told once. */
export const rotationKey = ({ _id }: ApiKeyDocument, at: Date): string =>
  `api_key_rotated ${_id} ${at.toISOString()}`;

/** Names a notice of an expiry. */
export const expiryKey = ({ _id }: ApiKeyDocument, expiresAt: Date, days: number): string =>
  `api_key_expiring ${_id} ${expiresAt.toISOString()} ${days}`;

/** That a key has a new secret, without the secret. */
export const rotationMessage = (
  key: ApiKeyDocument,
  { at, worksUntil, byPolicy }: RotationNews,
): WebhookMessage => ({
  ...about(key, 'api_key_rotated', rotationKey(key, at)),
  data: {
    ...named(key),
    rotated_at: at.toISOString(),
    former_secret_ends_at: worksUntil.toISOString(),
    by_policy: byPolicy,
  },
});

/** That a key is about to expire. */
export const expiryMessage = (key: ApiKeyDocument, expiresAt: Date, days: number): WebhookMessage => ({
  ...about(key, 'api_key_expiring', expiryKey(key, expiresAt, days)),
  data: { ...named(key), expires_at: expiresAt.toISOString(), days_left: days },
});

const about = (
  { organisationId, workspaceId }: ApiKeyDocument,
  event: WebhookMessage['event'],
  key: string,
) => ({ organisationId, workspaceId, event, key });

const named = ({ _id, name }: ApiKeyDocument) => ({ api_key_id: _id, api_key_name: name });
