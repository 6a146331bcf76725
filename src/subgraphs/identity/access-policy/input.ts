import type { Connection } from 'mongoose';
import type { Permission } from '../../../auth/index.ts';
import { catalogue, GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { TenantPrincipal } from '../permission.ts';
import { loadPermissions } from '../role/index.ts';
import { tenantModel } from '../tenant/index.ts';
import { workspaceIdsNamed } from '../workspace/index.ts';

/**
 * A principal in lower case. What stands in the domain of service accounts must be a service account's name, which no mail
 * address is.
 */
export function parsePrincipal({ identity }: GraphContext, given: string): string {
  const principal = given.toLowerCase();
  const domain = `.iam.${identity.serviceAccountDomain}`;
  if (!principal.endsWith(domain)) return principal;
  const account = principal.slice(0, -domain.length);
  if (/^[a-z0-9][a-z0-9._-]{0,62}@[0-9]{10}$/.test(account)) return principal;
  const param = 'input.principal';
  throw invalidInput(param, `${param} must be an e-mail address or <name>@<tsg_id>${domain}.`);
}

/**
 * The workspace that `prn:<tsg_id>::::<workspace>` names; null for the tenant's root. Throws INVALID_AUTHORISATION for
 * another tenant than the token's.
 */
export async function parseResource(
  { db }: GraphContext,
  principal: TenantPrincipal,
  resource: string,
): Promise<string | null> {
  const param = 'input.resource';
  const [, tsgId, workspace] = /^prn:([0-9]{10})::::([^:]*)$/.exec(resource) ?? [];
  if (tsgId === undefined || workspace === undefined) {
    throw invalidInput(param, `${param} must be prn:<tsg_id>::::<workspace>, with ten digits.`);
  }
  if (tsgId !== principal.tsgId) {
    const { message } = catalogue.INVALID_AUTHORISATION;
    throw new GatewayError('INVALID_AUTHORISATION', {
      message: `${message} It is for the tenant ${principal.tsgId} and not for ${tsgId}.`,
      param,
    });
  }
  const workspaceId = workspace === '' ? null : await workspaceNamed(db, principal, workspace);
  if (principal.workspaceId !== null && principal.workspaceId !== workspaceId) {
    throw new GatewayError('FORBIDDEN', {
      message: 'A credential for one workspace gives roles on that workspace only.',
      param,
    });
  }
  return workspaceId;
}

async function workspaceNamed(db: Connection, { organisationId }: TenantPrincipal, name: string) {
  const workspaceId = (await workspaceIdsNamed(db, organisationId, [name])).get(name);
  if (workspaceId !== undefined) return workspaceId;
  throw invalidInput('input.resource', 'input.resource names no workspace of this tenant.');
}

/** What a role allows that may be given on a tenant: a built-in one, or one that the tenant or one above it has defined. */
export async function parseRole(
  { db }: GraphContext,
  { tsgId }: TenantPrincipal,
  role: string,
): Promise<readonly Permission[]> {
  const permissions = (await loadPermissions(db, [role]))(role);
  const [, owner = tsgId] = role.split(':');
  const line = (await tenantModel(db).findById(tsgId, { ancestors: 1 }).lean())?.ancestors ?? [];
  if (permissions && [...line, tsgId].includes(owner)) return permissions;
  throw invalidInput('input.role', 'input.role is no role of this tenant.');
}
