import { createHash } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { UpstreamTarget } from '../../../mcp/index.ts';
import { type McpServerRecord, placeOf, type UsableCapability } from '../../../mcp/snapshot/index.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import { type OrganisationDocument, organisationModel } from '../../identity/organisation/index.ts';
import { type McpSwitch, mcpSwitchModel } from '../mcp-capability/index.ts';
import {
  isGrantedTo,
  type McpIntegrationDocument,
  mcpIntegrationModel,
  upstreamTargets,
} from '../mcp-integration/index.ts';
import { type McpUserEntry, mcpUserAccessModel } from '../mcp-user-access/index.ts';
import { createCatalogueReader, type ReadyCatalogue } from './catalogues.ts';
import { type McpServerDocument, mcpServerModel } from './model.ts';

/** `<slug>/<tool>` of each organisation, of which each may be `*`. */
type ForcedApprovals = ReadonlyMap<string, readonly string[]>;

type Parts = {
  /** Those of the organisation. */
  forced: readonly string[];
  integration: McpIntegrationDocument;
  upstream: UpstreamTarget;
  catalogue: ReadyCatalogue | undefined;
  switches: readonly McpSwitch[];
  entries: readonly McpUserEntry[];
};

/** Reads MCP servers by `<organisationId>/<id or slug>`; one whose integration is gone, or going, is left out. */
export function createServerLoader(db: Connection, secrets: Secrets) {
  const readCatalogues = createCatalogueReader(db);
  return async (ids: string[]): Promise<Map<string, McpServerRecord>> => {
    const servers = await mcpServerModel(db)
      .find({ status: 'active', $or: ids.flatMap(namesIn) })
      .lean<McpServerDocument[]>();
    const serverIds = servers.map(({ _id }) => _id);
    const integrationIds = [...new Set(servers.map(({ mcpIntegrationId }) => mcpIntegrationId))];
    const [forced, integrations, catalogues, switches, entries] = await Promise.all([
      forcedApprovals(db, [...new Set(servers.map(({ organisationId }) => organisationId))]),
      mcpIntegrationModel(db)
        .find({ _id: { $in: integrationIds }, status: 'active' })
        .lean<McpIntegrationDocument[]>(),
      readCatalogues(integrationIds),
      mcpSwitchModel(db)
        .find({ mcpServerId: { $in: serverIds }, enabled: false })
        .sort({ _id: 1 })
        .lean<McpSwitch[]>(),
      mcpUserAccessModel(db)
        .find({ mcpServerId: { $in: serverIds } })
        .sort({ _id: 1 })
        .lean<McpUserEntry[]>(),
    ]);
    const targets = await upstreamTargets(db, secrets, integrations);
    const records = servers.flatMap((server) => {
      const at = integrations.findIndex(({ _id }) => _id === server.mcpIntegrationId);
      const [integration, upstream] = [integrations[at], targets[at]];
      if (!integration || !upstream || integration.organisationId !== server.organisationId) return [];
      const ofServer = ({ mcpServerId }: { mcpServerId: string }) => mcpServerId === server._id;
      const own = {
        ...{ switches: switches.filter(ofServer), entries: entries.filter(ofServer) },
        forced: forced.get(server.organisationId) ?? [],
      };
      return [
        toRecord(server, { integration, upstream, catalogue: catalogues.get(integration._id), ...own }),
      ];
    });
    const wanted = new Set(ids);
    return new Map(
      records.flatMap((record) =>
        [record.id, record.slug]
          .map((name) => [`${record.organisationId}/${name}`, record] as const)
          .filter(([id]) => wanted.has(id)),
      ),
    );
  };
}

async function forcedApprovals(db: Connection, organisationIds: string[]): Promise<ForcedApprovals> {
  const found = await organisationModel(db)
    .find({ _id: { $in: organisationIds } }, { 'settings.mcpForceApproval': 1 })
    .lean<Pick<OrganisationDocument, '_id' | 'settings'>[]>();
  return new Map(found.map(({ _id, settings }) => [_id, settings?.mcpForceApproval ?? []]));
}

function namesIn(id: string): object[] {
  const slash = id.indexOf('/');
  const [organisationId, name] = [id.slice(0, slash), id.slice(slash + 1)];
  return [
    { organisationId, _id: name },
    { organisationId, slug: name },
  ];
}

function toRecord(server: McpServerDocument, parts: Parts): McpServerRecord {
  const { integration, upstream, catalogue, switches, entries } = parts;
  const off = new Set(switches.map(({ type, key }) => placeOf(type, key)));
  const all = catalogue?.usable ?? [];
  const usable = all.filter(({ type, key }) => !off.has(placeOf(type, key)));
  const ofType = (type: UsableCapability['type']) => usable.filter((each) => each.type === type);
  return {
    ...{ id: server._id, slug: server.slug },
    ...{ organisationId: server.organisationId, workspaceId: server.workspaceId },
    upstream,
    integrationSlug: integration.slug,
    isGranted: isGrantedTo(integration, server.workspaceId),
    defaultUserAccess: server.defaultUserAccess,
    users: new Map(entries.map(({ userId, enabled }) => [userId, enabled])),
    hello: catalogue?.hello ?? null,
    usable: {
      tool: ofType('tool'),
      prompt: ofType('prompt'),
      resource: ofType('resource'),
      resource_template: ofType('resource_template'),
    },
    byPlace: new Map(usable.map((each) => [placeOf(each.type, each.key), each])),
    keptBack: new Set([...(catalogue?.keptBack ?? []), ...off]),
    approvedFirst: forcedOf(server, parts),
    revision: revisionOf(server, parts),
  };
}

/** Own names of tools for which a person is asked, whatever a request says. */
function forcedOf({ slug }: McpServerDocument, { forced, catalogue }: Parts): Set<string> {
  const names = forced.flatMap((name) => {
    const slash = name.indexOf('/');
    return [slug, '*'].includes(name.slice(0, slash)) ? [name.slice(slash + 1)] : [];
  });
  const tools = (catalogue?.usable ?? []).filter(({ type }) => type === 'tool').map(({ key }) => key);
  return new Set(tools.filter((tool) => names.includes(tool) || names.includes('*')));
}

/** A hash, since what goes into it holds secrets. */
const revisionOf = (
  server: McpServerDocument,
  { integration, upstream, catalogue, switches, entries, forced }: Parts,
) =>
  createHash('sha256')
    .update(
      JSON.stringify([
        ...[server, integration, upstream, catalogue?.revision, catalogue?.hello, forced],
        ...[
          switches.map(({ type, key }) => [type, key]),
          entries.map(({ userId, enabled }) => [userId, enabled]),
        ],
      ]),
    )
    .digest('base64url');

/** Slugs of the MCP servers of each workspace, by name. */
export async function loadServerSlugs(
  db: Connection,
  workspaceIds: string[],
): Promise<Map<string, string[]>> {
  const found = await mcpServerModel(db)
    .find({ workspaceId: { $in: workspaceIds }, status: 'active' }, { workspaceId: 1, slug: 1 })
    .sort({ slug: 1 })
    .lean<Pick<McpServerDocument, 'workspaceId' | 'slug'>[]>();
  const slugs = new Map(workspaceIds.map((id) => [id, [] as string[]]));
  for (const { workspaceId, slug } of found) slugs.get(workspaceId)?.push(slug);
  return slugs;
}
