import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../../storage/secrets.ts';

/**
 * Refresh tokens are made of the id of their grant, their number, and a key that follows from both. Nothing of them is
 * stored, a used one is still known as one of its grant, and the same successor can be told twice.
 */
export function refreshToken(
  secrets: Pick<Secrets, 'derivedKey'>,
  grantId: string,
  generation: number,
): string {
  return `${grantId}.${generation}.${keyOf(secrets, grantId, generation)}`;
}

const keyOf = (secrets: Pick<Secrets, 'derivedKey'>, grantId: string, generation: number): string =>
  secrets.derivedKey(`mcp refresh token ${grantId} ${generation}`);

const FORM = /^([0-9a-f-]{36})\.(\d{1,9})\.(sl-[\w-]{43})$/;

/** The grant and the number of a refresh token that was made here; null for any other text. */
export function readRefreshToken(
  secrets: Pick<Secrets, 'derivedKey'>,
  token: string,
): { grantId: string; generation: number } | null {
  const [, grantId = '', number = '', key = ''] = FORM.exec(token) ?? [];
  if (grantId === '') return null;
  const generation = Number(number);
  const isGenuine = timingSafeEqual(Buffer.from(key), Buffer.from(keyOf(secrets, grantId, generation)));
  return isGenuine ? { grantId, generation } : null;
}
