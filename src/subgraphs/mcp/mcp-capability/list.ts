import type { CapabilityDocument } from '../../../mcp/catalogue/documents.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import type { QueryMcpIntegrationCapabilitiesArgs } from '../../types.generated.ts';
import { requireMcpIntegration } from '../mcp-integration/index.ts';
import { requireMcpServer } from '../mcp-server/index.ts';
import { type McpSwitch, mcpCapabilityModel, mcpSwitchModel } from './model.ts';
import { type CapabilityCount, shownCapability, shownCounts } from './shown.ts';

type Arguments = Required<Pick<QueryMcpIntegrationCapabilitiesArgs, 'id' | 'page' | 'pageSize'>> &
  Pick<QueryMcpIntegrationCapabilitiesArgs, 'type'>;
type Owner = { organisationId: string; mcpIntegrationId: string };

/** What the server behind an integration offers. */
export async function listIntegrationCapabilities(context: GraphContext, args: Arguments) {
  const { integration } = await requireMcpIntegration(context, args.id, 'read');
  const owner = { organisationId: integration.organisationId, mcpIntegrationId: integration._id };
  const [page, counted] = await Promise.all([pageOf(context, owner, args), countsOf(context, owner, [])]);
  return { ...page, data: page.found.map((each) => shownCapability(each)), counts: shownCounts(counted) };
}

/** The same with the switches of an MCP server. */
export async function listServerCapabilities(context: GraphContext, args: Arguments) {
  const server = await requireMcpServer(context, args.id, 'mcp_servers.read');
  const { _id: mcpServerId, organisationId, mcpIntegrationId } = server;
  const off = await mcpSwitchModel(context.db)
    .find({ organisationId, mcpServerId, enabled: false }, { type: 1, key: 1 })
    .lean<Pick<McpSwitch, 'type' | 'key'>[]>();
  const owner = { organisationId, mcpIntegrationId };
  const [page, counted] = await Promise.all([pageOf(context, owner, args), countsOf(context, owner, off)]);
  const isOff = new Set(off.map(placeOf));
  const data = page.found.map((each) => shownCapability(each, !isOff.has(placeOf(each))));
  return { ...page, data, counts: shownCounts(counted) };
}

export const placeOf = ({ type, key }: Pick<CapabilityDocument, 'type' | 'key'>): string => `${type} ${key}`;

async function pageOf({ db }: GraphContext, owner: Owner, { page, pageSize, type }: Arguments) {
  const filter = { ...owner, ...(type && { type }) };
  const model = mcpCapabilityModel(db);
  const [total, found] = await Promise.all([
    orTooSlow(model.countDocuments(filter, boundedRead).exec()),
    orTooSlow(
      model
        .find(filter, null, boundedRead)
        .sort({ type: 1, position: 1, _id: 1 })
        .skip((page - 1) * pageSize)
        .limit(pageSize)
        .lean<CapabilityDocument[]>()
        .exec(),
    ),
  ]);
  return { total, found, hasMore: page * pageSize < total };
}

/** Numbers by type. `off`: what an MCP server keeps back itself, which counts as not enabled. */
async function countsOf(
  { db }: GraphContext,
  owner: Owner,
  off: readonly Pick<CapabilityDocument, 'type' | 'key'>[],
): Promise<CapabilityCount[]> {
  const rows = await orTooSlow(
    mcpCapabilityModel(db)
      .find(owner, { type: 1, key: 1, enabled: 1, isQuarantined: 1, hidden: 1, missingSince: 1 }, boundedRead)
      .lean<CapabilityDocument[]>()
      .exec(),
  );
  const isOff = new Set(off.map(placeOf));
  const counted = new Map<CapabilityDocument['type'], CapabilityCount>();
  for (const row of rows) {
    const of = counted.get(row.type) ?? { type: row.type, total: 0, enabled: 0 };
    const isUsable = row.enabled && !row.isQuarantined && row.hidden === null && row.missingSince === null;
    counted.set(row.type, {
      type: row.type,
      total: of.total + 1,
      enabled: of.enabled + Number(isUsable && !isOff.has(placeOf(row))),
    });
  }
  return [...counted.values()];
}
