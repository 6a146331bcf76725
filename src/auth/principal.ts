import { GatewayError } from '../errors/index.ts';
import type { ApiKeyType, Scope } from './scopes.ts';

/** Whoever a credential stands for. Every front door turns its credential into one of these before anything else. */
export type Principal = {
  kind: ApiKeyType;
  /** Id of the API key. */
  id: string;
  name: string;
  organisationId: string;
  /** Null for credentials that are good for the whole organisation. */
  workspaceId: string | null;
  userId: string | null;
  scopes: ReadonlySet<Scope>;
};

/** The part of every query that keeps tenants apart: organisation always, workspace when the credential is bound to one. */
export function tenantFilter(principal: Principal): { organisationId: string; workspaceId?: string } {
  return principal.workspaceId === null
    ? { organisationId: principal.organisationId }
    : { organisationId: principal.organisationId, workspaceId: principal.workspaceId };
}

export function requireScope(principal: Principal | null, anyOf: readonly Scope[]): Principal {
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  if (!anyOf.some((scope) => principal.scopes.has(scope))) {
    throw new GatewayError('FORBIDDEN', { message: `The credential lacks the scope ${anyOf.join(' or ')}.` });
  }
  return principal;
}
