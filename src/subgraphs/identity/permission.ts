import {
  apiKeyTypes,
  builtInRoles,
  isScope,
  mayHold,
  type Permission,
  type Principal,
  type PrincipalKind,
  requireScope,
} from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';

/** Whoever administers identities, with the tenant that the access token is for. */
export type TenantPrincipal = Principal & { tsgId: string };

export function requireTenantPermission(
  principal: Principal | null,
  permission: Permission,
): TenantPrincipal {
  const holder = requireScope(principal, [permission]);
  const { tsgId } = holder;
  if (tsgId === undefined) {
    throw new GatewayError('FORBIDDEN', { message: 'Identities are administered with an access token.' });
  }
  return { ...holder, tsgId };
}

/**
 * For what belongs to the tenant and to none of its workspaces: a role on one workspace must not reach identities that
 * hold roles elsewhere.
 */
export function requireWholeTenant(principal: Principal | null, permission: Permission): TenantPrincipal {
  const holder = requireTenantPermission(principal, permission);
  if (holder.workspaceId === null) return holder;
  throw new GatewayError('FORBIDDEN', {
    message: `The permission ${permission} is needed on the whole tenant; this credential is good for one workspace.`,
  });
}

/** A key's type bounds what it holds; roles and JWTs may hold any scope. */
const couldHold = (kind: PrincipalKind, permission: Permission): boolean => {
  const type = apiKeyTypes.find((known) => known === kind);
  return type === undefined || !isScope(permission) || mayHold(type, permission);
};

/** What stands for a scope with those who cannot hold it: both open every log. */
const equals = new Map<Permission, Permission>([['logs.read', 'logs.view']]);

/**
 * True where the principal has less than this permission. What its kind cannot hold at all, it does not lack: an
 * organisation key administers keys with `completions.write`, which only keys of workspaces hold.
 */
export function lacks({ kind, scopes, withheld }: Principal, permission: Permission): boolean {
  if (withheld?.has(permission)) return true;
  if (scopes.has(permission)) return false;
  if (couldHold(kind, permission)) return true;
  const equal = equals.get(permission);
  return equal !== undefined && !scopes.has(equal);
}

/** Permissions that a refusal names; what is beyond is counted. */
const MAX_NAMED = 10;

/**
 * Nobody gives, changes or takes away what is stronger than themselves: throws FORBIDDEN, naming what is missing, where
 * the principal lacks any of the permissions.
 */
export function requireHeld(
  principal: Principal,
  permissions: readonly Permission[],
  act: string,
  param?: string,
): void {
  const missing = [...new Set(permissions)].filter((permission) => lacks(principal, permission));
  if (missing.length === 0) return;
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  const named = missing.slice(0, MAX_NAMED).join(', ');
  throw new GatewayError('FORBIDDEN', {
    message: `The credential cannot ${act}: it lacks ${named}${more}.`,
    param,
  });
}

/**
 * Throws FORBIDDEN where a user with these permissions may do more than whoever makes that user. A key of the organisation
 * with all its scopes makes administrators, although no key administers identities (`iam.…`).
 */
export function requireEqual(
  principal: Principal,
  permissions: readonly Permission[],
  act: string,
  param: string,
): void {
  const isKey = apiKeyTypes.some((type) => type === principal.kind);
  requireHeld(principal, isKey ? permissions.filter(isScope) : permissions, act, param);
}

/**
 * The same for a built-in role, such as `workspace_admin`, that a user is given. What switches withhold counts for the role of
 * an owner alone, whom none of them restricts.
 */
export function requireGivable(principal: Principal, role: string, param: string): void {
  const permissions = (builtInRoles.get(role) ?? []).filter(
    (permission) => role === 'organisation_owner' || !principal.withheld?.has(permission),
  );
  requireEqual(principal, permissions, `give the role ${role}, which allows more`, param);
}
