import { isObject } from '../../../lib/json.ts';
import type { Expiring } from '../expiring-cache.ts';

/** Seconds that a token is good for when nobody says. */
const LIFETIME = 3600;

/** Where Entra issues tokens to the applications of a tenant. `authority`: without a slash at the end. */
export const tokenUrl = (authority: string, tenant: string): string =>
  `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;

/** What Entra is asked for a token of an application, as a form. `proof`: its id, and what shows that it asks. */
export const applicationForm = (
  proof: { client_id: string } & Record<string, string>,
  scope: string,
): string => new URLSearchParams({ grant_type: 'client_credentials', ...proof, scope }).toString();

/** The token in an answer of Entra or of a managed identity; null where there is none. */
export function issuedToken(answer: unknown): Expiring<string> | null {
  const { access_token: value, expires_in: lifetime, expires_on: end } = isObject(answer) ? answer : {};
  if (typeof value !== 'string' || value === '') return null;
  if (Number(end) > 0) return { value, expiresAt: Number(end) * 1000 };
  const seconds = Number(lifetime ?? LIFETIME);
  return { value, expiresAt: Date.now() + (Number.isFinite(seconds) ? seconds : LIFETIME) * 1000 };
}
