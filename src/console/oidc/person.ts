import type { Connection } from 'mongoose';
import { GatewayError } from '../../errors/index.ts';
import type { ConsoleOidc } from '../../settings/identity/console-oidc.ts';
import { firstOrganisationId } from '../../subgraphs/identity/sign-in-link/index.ts';
import type { ProvidedUser } from '../../subgraphs/identity/user/provided.ts';
import type { Claims } from './provider.ts';

/** As the graph takes addresses and names. */
const email = /^[^\s@\p{C}]{1,64}@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)+$/u;
const MAX_EMAIL = 254;
const MAX_NAME = 255;

/** The person whom claims are about; throws FORBIDDEN unless the provider has verified an address of an allowed domain. */
export async function personOf(db: Connection, claims: Claims, settings: ConsoleOidc): Promise<ProvidedUser> {
  const address = text(claims.email).toLowerCase();
  if (!email.test(address) || address.length > MAX_EMAIL) throw refused('has told no e-mail address');
  if (claims.email_verified !== true) throw refused('has not verified the e-mail address');
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (!settings.allowedDomains.includes(domain)) {
    throw new GatewayError('FORBIDDEN', { message: `Addresses of ${domain} do not sign in here.` });
  }
  return {
    organisationId: settings.organisationId ?? (await firstOrganisationId(db)) ?? '',
    email: address,
    firstName: nameOf(claims.given_name) || nameOf(claims.name) || (address.split('@')[0] ?? ''),
    // Some people have one name.
    lastName: nameOf(claims.family_name),
    role: roleOf(claims[settings.groupsClaim], settings),
    mayBeMade: settings.createMembers,
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const nameOf = (value: unknown): string =>
  text(value).replaceAll('\u0000', '').trim().slice(0, MAX_NAME).toWellFormed();

/** The highest role of the person's groups, a member without one; null where groups mean nothing. */
function roleOf(groups: unknown, { groupRoles }: ConsoleOidc): 'admin' | 'member' | null {
  if (groupRoles.size === 0) return null;
  const named = Array.isArray(groups) ? groups : [groups];
  return named.some((group) => groupRoles.get(text(group)) === 'admin') ? 'admin' : 'member';
}

const refused = (what: string) =>
  new GatewayError('FORBIDDEN', {
    message: `The identity provider ${what}, so that nobody can be signed in.`,
  });
