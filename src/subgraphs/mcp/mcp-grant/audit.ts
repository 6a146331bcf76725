import type { McpGrantDocument, RegisteredClient } from '../../../mcp/oauth/index.ts';
import { auditedRequest } from '../../audited-request.ts';
import type { GraphContext } from '../../context.ts';

type GrantFacts = Pick<
  McpGrantDocument,
  '_id' | 'organisationId' | 'workspaceId' | 'userId' | 'clientId' | 'clientName' | 'resource'
> & { scopes: readonly string[] };

/** Writes to the trail of the organisation that somebody lets a client act for them. */
export const recordGrant = (context: GraphContext, grant: GrantFacts, userName: string): Promise<void> =>
  record(context, grant, { action: 'create', userName });

/** The same for the end of that, by a client or in its name. */
export const recordGrantEnd = (context: GraphContext, grant: GrantFacts): Promise<void> =>
  record(context, grant, { action: 'end' });

function record(
  context: GraphContext,
  grant: GrantFacts,
  { action, userName }: { action: string; userName?: string },
): Promise<void> {
  const { _id, organisationId, workspaceId, userId, clientId, clientName, resource, scopes } = grant;
  return context.audit.record({
    ...auditedRequest(context, { client_id: clientId, resource, scope: scopes.join(' ') }),
    organisationId,
    workspaceId,
    userId: userId ?? clientId,
    ...(userName !== undefined && { userName }),
    userType: userId === null ? 'api_key' : 'user',
    resourceType: 'mcp_grant',
    action,
    targetId: _id,
    targetName: clientName,
    outcome: 'success',
    responseStatusCode: 200,
  });
}

/** A client belongs to nobody yet: the trail is that of the installation's first organisation. */
export async function recordClient(context: GraphContext, client: RegisteredClient): Promise<void> {
  const organisationId = await context.installation.organisationId();
  if (organisationId === null) return;
  const { id, name, redirectUris, authMethod } = client;
  await context.audit.record({
    ...auditedRequest(context, { redirect_uris: redirectUris, token_endpoint_auth_method: authMethod }),
    ...{ organisationId, workspaceId: null, userId: id, userType: 'api_key' },
    ...{ resourceType: 'mcp_client', action: 'create', targetId: id, targetName: name },
    ...{ outcome: 'success', responseStatusCode: 201 },
  });
}

/** Writes that somebody lets the gateway act for them at the server of an integration. */
export const recordConnection = (
  context: GraphContext,
  { organisationId, userId, mcpIntegrationId }: ConnectionOf,
  userName: string,
): Promise<void> =>
  context.audit.record({
    ...auditedRequest(context, { mcp_integration_id: mcpIntegrationId }),
    ...{ organisationId, workspaceId: null, userId, userName, userType: 'user' },
    ...{ resourceType: 'mcp_connection', action: 'create', targetId: mcpIntegrationId },
    ...{ outcome: 'success', responseStatusCode: 200 },
  });

type ConnectionOf = { organisationId: string; userId: string; mcpIntegrationId: string };
