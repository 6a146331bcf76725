import type { Alert } from '../../../../mail/index.ts';
import type { ApiKeyDocument, RotationNews } from '../model.ts';
import { expiryKey, rotationKey } from './messages.ts';

/** That a key has a new secret, without the secret. */
export function rotationMail(key: ApiKeyDocument, { at, worksUntil, byPolicy }: RotationNews): Alert {
  const next = key.rotationPolicy?.nextRotationAt;
  return {
    ...about(key, rotationKey(key, at)),
    kind: 'api_key_rotated',
    subject: `API key "${key.name}" has a new secret`,
    text: [
      `The API key "${key.name}" (${key._id}) got a new secret at ${at.toISOString()}, ${
        byPolicy ? 'as its rotation policy says.' : 'since somebody rotated it.'
      }`,
      `The secret before it works until ${worksUntil.toISOString()}.`,
      byPolicy
        ? `Fetch the new one before that: POST /v1/api-keys/${key._id}/reveal shows it once, to whoever may rotate the key.`
        : 'Whoever rotated it was shown the new one.',
      ...(next ? [`The next rotation is due at ${next.toISOString()}.`] : []),
    ].join('\n\n'),
  };
}

/** That a key is about to expire. */
export function expiryMail(key: ApiKeyDocument, expiresAt: Date, days: number): Alert {
  const span = days === 1 ? 'one day' : `${days} days`;
  return {
    ...about(key, expiryKey(key, expiresAt, days)),
    kind: 'api_key_expiring',
    subject: `API key "${key.name}" expires in ${span}`,
    text: [
      `The API key "${key.name}" (${key._id}) expires at ${expiresAt.toISOString()}, in ${span}. Then it is refused.`,
      `To keep it, give it another expiry: PUT /v1/api-keys/${key._id} with expires_at.`,
    ].join('\n\n'),
  };
}

const about = ({ organisationId, workspaceId, alertEmails }: ApiKeyDocument, event: string) => ({
  ...{ organisationId, workspaceId, event },
  to: alertEmails,
});
