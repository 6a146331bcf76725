import { requireScope, type Scope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { type LimitedStatus, limitedStatus, limitedStatusFilter } from '../../limits/exhausted.ts';
import { idOrSlug } from '../values.ts';
import { limitOwner, type ProviderDocument, providerModel } from './model.ts';

/** Id or slug of a workspace, as operations on providers name it. */
export type NamedWorkspace = string | null | undefined;

export const providerNotFound = (what = 'provider') =>
  new GatewayError('NOT_FOUND', { message: `The ${what} does not exist.` });

const isUuid = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

/** Finds by id, or by slug in the named workspace, which an organisation-wide credential must name for a slug. */
export async function providerFilter(
  context: GraphContext,
  scope: Scope,
  id: string,
  workspace: NamedWorkspace,
) {
  const principal = requireScope(context.principal, [scope]);
  const { organisationId } = principal;
  if (isUuid(id) && !workspace) return { $and: [idOrSlug(id), tenantFilter(principal)] };
  return { $and: [idOrSlug(id), { organisationId, workspaceId: await workspaceIdFor(context, workspace) }] };
}

/** The moment from which a provider is expired; null for none. */
export function parseExpiry({ now }: GraphContext, value: Date | null | undefined): Date | null {
  if (!value) return null;
  if (value <= now()) throw invalidInput('input.expiresAt', 'expires_at must be in the future.');
  return value;
}

const owners = { level: 'provider' as const, modelOf: providerModel, ownerOf: limitOwner };

/** What stands as the status of a provider at this moment. */
export const statusOf = (provider: ProviderDocument, context: GraphContext): Promise<LimitedStatus> =>
  limitedStatus(context, provider, limitOwner(provider));

/** The part of a query that a status stands for. */
export const statusFilter = (
  context: GraphContext,
  organisationId: string,
  status: LimitedStatus | null | undefined,
): Promise<object> => limitedStatusFilter(context, status, organisationId, owners);
