import type { QueryFilter } from 'mongoose';
import { ownUser, type Principal, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { type McpGrantDocument, mcpGrantModel } from '../../../mcp/oauth/index.ts';
import type { GraphContext } from '../../context.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { QueryMcpGrantsArgs } from '../../types.generated.ts';

function requirePrincipal({ principal }: GraphContext): Principal {
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  return principal;
}

/**
 * What a credential reaches: the grants of its own user, in its workspace where it is a key, or with the scope all that users of
 * the organisation have given.
 */
function reachOf(principal: Principal, scope: string): QueryFilter<McpGrantDocument> {
  const { organisationId, kind } = principal;
  if (principal.scopes.has(scope)) return { organisationId, userId: { $ne: null } };
  const place = kind === 'user' ? { organisationId } : tenantFilter(principal);
  return { ...place, userId: { $in: ownUser(principal) } };
}

/** Those of which the client has made use, and which are not over. */
const inEffect = (now: Date) => ({ codeUsedAt: { $ne: null }, expiresAt: { $gt: now } });

/** Newest first. */
export async function listMcpGrants(
  context: GraphContext,
  { userId, clientId, ...page }: QueryMcpGrantsArgs & PageArguments,
) {
  const principal = requirePrincipal(context);
  return findPage(
    mcpGrantModel(context.db),
    {
      $and: [reachOf(principal, 'organisation_users.list'), userId ? { userId } : {}],
      ...(clientId && { clientId }),
      ...inEffect(context.now()),
    },
    page,
  );
}

/** Ends a grant and its siblings: one that stayed would let the client in again without a question. */
export async function revokeMcpGrant(context: GraphContext, id: string): Promise<string> {
  const principal = requirePrincipal(context);
  const found = await mcpGrantModel(context.db)
    .findOne({
      $and: [reachOf(principal, 'organisation_users.update'), { _id: id }],
      ...inEffect(context.now()),
    })
    .lean<McpGrantDocument>();
  if (!found) throw gone();
  const { organisationId, workspaceId, userId, clientId, resource } = found;
  const { deletedCount } = await mcpGrantModel(context.db).deleteMany({
    ...{ organisationId, workspaceId, userId, clientId, resource },
  });
  await context.changes.publish('mcp_grant');
  if (deletedCount === 0) throw gone();
  return id;
}

const gone = () => new GatewayError('NOT_FOUND', { message: 'The grant does not exist, or is over.' });
