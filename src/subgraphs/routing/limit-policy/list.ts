import type { Connection, Model, QueryFilter } from 'mongoose';
import { requireScope, tenantFilter } from '../../../auth/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { requireLimitSetter } from '../../identity/api-key/index.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { orderOf } from '../../order.ts';
import { requireOwnOrganisation } from '../../own-organisation.ts';
import { countItems, findPage, type SortedPageArguments } from '../../page.ts';
import type { QueryUsageLimitPoliciesArgs } from '../../types.generated.ts';
import type { StoredPolicy } from './stored.ts';

type ListArguments = SortedPageArguments &
  Pick<QueryUsageLimitPoliciesArgs, 'workspaceId' | 'status' | 'name' | 'createdAtMin' | 'createdAtMax'>;

/** A page of policies that the credential reaches; `own` is what only one kind of them has. */
export async function listPolicies<T extends StoredPolicy>(
  context: GraphContext,
  modelOf: (db: Connection) => Model<T>,
  args: ListArguments,
  own: object,
): Promise<{ total: number; data: T[] }> {
  const principal = requireScope(context.principal, ['policies.list']);
  const filter = {
    ...tenantFilter(principal),
    ...(args.workspaceId && { workspaceId: await workspaceIdFor(context, args.workspaceId) }),
    ...(args.status && { status: args.status }),
    ...own,
    ...resourceFilter(args),
  } as QueryFilter<T>;
  const model = modelOf(context.db);
  const order = orderOf(args.sort);
  // A limit of 0 would mean all of them to the store.
  if (args.pageSize === 0) return { total: await countItems(model, filter, order), data: [] };
  return findPage(model, filter, args, order);
}

/** Where a new policy goes; throws where the caller sets no limits there. */
export async function policyPlace(
  context: GraphContext,
  named: { organisationId?: string | null; workspaceId?: string | null },
): Promise<{ organisationId: string; workspaceId: string }> {
  const principal = requireScope(context.principal, ['policies.create']);
  requireOwnOrganisation(principal, named.organisationId);
  const workspaceId = await workspaceIdFor(context, named.workspaceId);
  await requireLimitSetter(context);
  return { organisationId: principal.organisationId, workspaceId };
}
