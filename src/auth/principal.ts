import { GatewayError } from '../errors/index.ts';
import type { Permission } from './roles.ts';
import type { ApiKeyType } from './scopes.ts';
import type { Rights } from './switches/index.ts';

/**
 * What a credential is: a gateway key, an access token of a service account, a JWT of a configured issuer, or the sign-in
 * of a person.
 */
export type PrincipalKind = ApiKeyType | 'service-account' | 'jwt' | 'user';

/** Whoever a credential stands for. Every front door turns its credential into one of these before anything else. */
export type Principal = {
  kind: PrincipalKind;
  /** Id of the API key or the user, client id of the service account, or subject of the JWT. */
  id: string;
  name: string;
  organisationId: string;
  /** Null for credentials that are valid in the whole organisation. */
  workspaceId: string | null;
  userId: string | null;
  /** Tenant whose identities the credential may administer: that of an access token, or of a user's organisation. */
  tsgId?: string;
  /** The sign-in that a request came by; absent for a credential that the request brought itself. */
  signIn?: { id: string; endsAt: Date };
  scopes: ReadonlySet<Permission>;
  /** What it sees only as far as it belongs to its own user; absent where nothing is kept from it. */
  ownOnly?: Rights['ownOnly'];
  /** Scopes that its roles would allow, or would allow further, but for the switches of its organisation. */
  withheld?: Rights['withheld'];
  /** Metadata for the logs of its requests: the credential's own and its workspace's, the workspace's on top. */
  metadata: Record<string, string>;
};

/** The part of every query that keeps tenants apart: organisation always, workspace when the credential is bound to one. */
export function tenantFilter(principal: Pick<Principal, 'organisationId' | 'workspaceId'>): {
  organisationId: string;
  workspaceId?: string;
} {
  return principal.workspaceId === null
    ? { organisationId: principal.organisationId }
    : { organisationId: principal.organisationId, workspaceId: principal.workspaceId };
}

/** The same for request logs, of which a principal may see those of its own user alone: without a user, none. */
export function ownRequestsFilter(principal: Principal) {
  const tenant = tenantFilter(principal);
  return principal.ownOnly?.has('requests') ? { ...tenant, userId: { $in: ownUser(principal) } } : tenant;
}

/** The user whom a principal stands for, as a list of one or none. */
export const ownUser = ({ kind, userId }: Principal): string[] =>
  // The subject of a JWT is a name at its issuer, and no user of ours.
  userId === null || kind === 'jwt' ? [] : [userId];

export function requireScope(principal: Principal | null, anyOf: readonly Permission[]): Principal {
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  if (!anyOf.some((scope) => principal.scopes.has(scope))) {
    if (principal.kind === 'user' && principal.workspaceId === null && principal.scopes.size === 0)
      throw new GatewayError('FORBIDDEN', { message: withoutWorkspace });
    throw new GatewayError('FORBIDDEN', { message: `The credential lacks the scope ${anyOf.join(' or ')}.` });
  }
  return principal;
}

const withoutWorkspace =
  'A member of the organisation acts in a workspace: name one that has taken you in, in x-gateway-workspace-id.';
