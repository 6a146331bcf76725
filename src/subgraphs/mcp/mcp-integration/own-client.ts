import { callbackOf, describedSelf, documentUrlOf } from '../../../mcp/connections/index.ts';
import type { GraphContext } from '../../context.ts';
import { ownAddress } from '../../own-address.ts';
import { type McpIntegrationDocument, mcpIntegrationModel } from './model.ts';
import { clearSettings } from './settings.ts';

/**
 * What the gateway says of itself to the issuer of an integration's server, which asks without a credential: nothing of it is
 * secret. Null for an integration that has no use for it.
 */
export async function describedClient(context: GraphContext, id: string): Promise<object | null> {
  const found = await mcpIntegrationModel(context.db)
    .findOne({ _id: id, status: 'active', authType: 'oauth_auto' })
    .lean<McpIntegrationDocument>();
  if (!found) return null;
  const base = ownAddress(context);
  const configurations = clearSettings(context.secrets, found);
  return {
    client_id: documentUrlOf(base, id),
    ...describedSelf({ configurations, redirectUri: callbackOf(base) }),
    token_endpoint_auth_method: 'none',
  };
}
