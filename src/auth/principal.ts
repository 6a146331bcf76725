import { GatewayError } from '../errors/index.ts';
import type { Permission } from './roles.ts';
import type { ApiKeyType } from './scopes.ts';

/** What a credential is: a gateway key, an access token of a service account, or a JWT of a configured issuer. */
export type PrincipalKind = ApiKeyType | 'service-account' | 'jwt';

/** Whoever a credential stands for. Every front door turns its credential into one of these before anything else. */
export type Principal = {
  kind: PrincipalKind;
  /** Id of the API key, client id of the service account, or subject of the JWT. */
  id: string;
  name: string;
  organisationId: string;
  /** Null for credentials that are valid in the whole organisation. */
  workspaceId: string | null;
  userId: string | null;
  /** Tenant that an access token is for; only tokens have one. */
  tsgId?: string;
  scopes: ReadonlySet<Permission>;
  /** Metadata for the logs of its requests: the credential's own and its workspace's, the workspace's on top. */
  metadata: Record<string, string>;
};

/** The part of every query that keeps tenants apart: organisation always, workspace when the credential is bound to one. */
export function tenantFilter(principal: Principal): { organisationId: string; workspaceId?: string } {
  return principal.workspaceId === null
    ? { organisationId: principal.organisationId }
    : { organisationId: principal.organisationId, workspaceId: principal.workspaceId };
}

export function requireScope(principal: Principal | null, anyOf: readonly Permission[]): Principal {
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  if (!anyOf.some((scope) => principal.scopes.has(scope))) {
    throw new GatewayError('FORBIDDEN', { message: `The credential lacks the scope ${anyOf.join(' or ')}.` });
  }
  return principal;
}
