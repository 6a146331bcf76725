import { uuid } from '../../../lib/ids.ts';
import type { DefinitionChange } from '../../../mcp/catalogue/index.ts';
import type { AuditTrail } from '../../../recording/audit/trail.ts';

type Options = { audit: Pick<AuditTrail, 'record'>; now: () => Date };

/** Notes that a server tells models something else than before: in the trail the integration itself acts. */
export const recordDefinitionChange = (
  { audit, now }: Options,
  { organisationId, mcpIntegrationId, capability, previousHash, hash, isQuarantined }: DefinitionChange,
): Promise<void> =>
  audit.record({
    ...{ organisationId, workspaceId: null },
    userId: mcpIntegrationId,
    userName: 'MCP server',
    userType: 'api_key',
    resourceType: 'mcp_capability',
    action: 'changed',
    targetId: capability?._id ?? mcpIntegrationId,
    targetName: capability ? `${capability.type} ${capability.name}`.slice(0, 255) : 'instructions',
    changes: [
      { member: 'hash', before: previousHash, after: hash },
      ...(isQuarantined ? [{ member: 'isQuarantined', before: false, after: true }] : []),
    ],
    beforeDigest: null,
    afterDigest: null,
    outcome: 'success',
    responseStatusCode: 200,
    method: 'POST',
    uri: '',
    requestId: uuid(),
    requestBody: '{}',
    queryParams: '',
    requestHeaders: '{}',
    clientIp: '',
    userAgent: '',
    timestamp: now(),
  });
