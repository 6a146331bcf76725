import { isObject } from '../../../lib/json.ts';
import { type CapabilityDocument, capabilityTypes } from '../../../mcp/catalogue/documents.ts';
import type { McpCapability, McpCapabilityCounts } from '../../types.generated.ts';

/** A capability as the API shows it. `own`: the switch of the MCP server that was asked; absent, the integration was. */
export function shownCapability(capability: CapabilityDocument, own?: boolean): McpCapability {
  const written = definitionOf(capability);
  const text = (name: string) => (typeof written[name] === 'string' ? written[name] : null);
  const given = (name: string) => written[name] ?? null;
  return {
    name: capability.name,
    type: capability.type,
    title: text('title'),
    description: text('description'),
    icons: given('icons'),
    enabled: own ?? capability.enabled,
    integrationEnabled: own === undefined ? null : capability.enabled && !capability.isQuarantined,
    inputSchema: given('inputSchema'),
    outputSchema: given('outputSchema'),
    execution: given('execution'),
    annotations: given('annotations'),
    arguments: given('arguments'),
    uri: text('uri'),
    uriTemplate: text('uriTemplate'),
    mimeType: text('mimeType'),
    size: typeof written.size === 'number' ? written.size : null,
    hash: capability.hash,
    previousHash: capability.previousHash,
    definitionChangedAt: capability.definitionChangedAt,
    isQuarantined: capability.isQuarantined,
    suspicious: capability.suspicious,
    hidden: capability.hidden,
    missingSince: capability.missingSince,
    createdAt: capability.createdAt,
    lastUpdatedAt: capability.lastUpdatedAt,
  };
}

function definitionOf({ definition }: CapabilityDocument): Record<string, unknown> {
  const value: unknown = JSON.parse(definition);
  return isObject(value) ? value : {};
}

/** Numbers by type, as the store counts them. */
export type CapabilityCount = { type: CapabilityDocument['type']; total: number; enabled: number };

export function shownCounts(counted: readonly CapabilityCount[]): McpCapabilityCounts {
  const [tools, prompts, resources, resourceTemplates] = capabilityTypes.map((type) => {
    const { total = 0, enabled = 0 } = counted.find((each) => each.type === type) ?? {};
    return { total, enabled };
  });
  const none = { total: 0, enabled: 0 };
  return {
    tools: tools ?? none,
    prompts: prompts ?? none,
    resources: resources ?? none,
    resourceTemplates: resourceTemplates ?? none,
  };
}
