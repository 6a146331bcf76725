import { type Permission, type Principal, requireScope } from '../../auth/index.ts';
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

/** Nobody gives what he lacks: throws FORBIDDEN where the principal does not hold all of the permissions. */
export function requireHeld(
  { scopes }: Principal,
  permissions: readonly Permission[],
  act: string,
  paramOf: (index: number) => string | undefined = () => undefined,
): void {
  const index = permissions.findIndex((permission) => !scopes.has(permission));
  if (index < 0) return;
  throw new GatewayError('FORBIDDEN', {
    message: `The credential cannot ${act}: it lacks the permission ${permissions[index]}.`,
    param: paramOf(index),
  });
}
