import type { QueryFilter } from 'mongoose';
import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { workspaceById, workspaceIdFor } from '../../identity/workspace/index.ts';
import type { QueryMcpRegistryArgs } from '../../types.generated.ts';
import { catalogueOf, integrationOfServer, isGrantedTo } from '../mcp-integration/index.ts';
import { addressOf } from './address.ts';
import { type McpServerDocument, mcpServerModel } from './model.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const REGISTRY_META = 'io.modelcontextprotocol.registry/official';
/** Servers that one part looks through: those that may not be used now are left out of it. */
const MOST_LOOKS = 20;

type Arguments = QueryMcpRegistryArgs & Required<Pick<QueryMcpRegistryArgs, 'limit'>>;
type Place = { createdAt: Date; _id: string };

/** The MCP servers that callers may use now, the newest first, from where a cursor stands. */
export async function mcpRegistry(context: GraphContext, args: Arguments) {
  const principal = requireScope(context.principal, ['mcp_servers.list']);
  const workspaceId = args.workspaceId && (await workspaceIdFor(context, args.workspaceId));
  const filter: QueryFilter<McpServerDocument>[] = [
    tenantFilter(principal),
    { status: 'active' },
    workspaceId ? { workspaceId } : {},
    resourceFilter({ name: args.search }),
    args.updatedSince ? { lastUpdatedAt: { $gte: args.updatedSince } } : {},
  ];
  const servers: unknown[] = [];
  let place = args.cursor == null ? null : placeOf(args.cursor);
  let isEnd = false;
  for (let look = 0; look < MOST_LOOKS && servers.length < args.limit && !isEnd; look += 1) {
    const wanted = args.limit - servers.length;
    const found = await read(context, [...filter, beyond(place)], wanted + 1);
    const looked = found.slice(0, wanted);
    servers.push(...(await entriesOf(context, looked)));
    place = looked.at(-1) ?? place;
    isEnd = found.length <= wanted;
  }
  const nextCursor = isEnd || place === null ? null : cursorOf(place);
  return { servers, metadata: { count: servers.length, nextCursor } };
}

const read = (
  { db }: GraphContext,
  $and: QueryFilter<McpServerDocument>[],
  limit: number,
): Promise<McpServerDocument[]> =>
  orTooSlow(
    mcpServerModel(db)
      .find({ $and }, null, boundedRead)
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean<McpServerDocument[]>()
      .exec(),
  );

const beyond = (place: Place | null): QueryFilter<McpServerDocument> =>
  place === null
    ? {}
    : {
        createdAt: { $lte: place.createdAt },
        $or: [{ createdAt: { $lt: place.createdAt } }, { _id: { $lt: place._id } }],
      };

const cursorOf = ({ createdAt, _id }: Place): string =>
  Buffer.from(`${createdAt.toISOString()} ${_id}`).toString('base64url');

function placeOf(cursor: string): Place {
  const [, time = '', _id = ''] =
    /^(\S+) ([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const createdAt = new Date(time);
  if (_id === '' || Number.isNaN(createdAt.getTime()))
    throw invalidInput('cursor', 'cursor must be the nextCursor of the part before.');
  return { createdAt, _id };
}

/** Entries of those that callers may use now: their integration is active, and granted to their workspace. */
async function entriesOf(context: GraphContext, servers: readonly McpServerDocument[]): Promise<unknown[]> {
  const entries = await Promise.all(servers.map((server) => entryOf(context, server)));
  return entries.filter((entry) => entry !== null);
}

async function entryOf(context: GraphContext, server: McpServerDocument): Promise<unknown> {
  const [integration, workspace, catalogue] = await Promise.all([
    integrationOfServer(context).load(server.mcpIntegrationId),
    workspaceById(context).load(server.workspaceId),
    catalogueOf(context).load(server.mcpIntegrationId),
  ]);
  const isUsable = integration?.status === 'active' && isGrantedTo(integration, server.workspaceId);
  if (!isUsable || workspace?.status !== 'active') return null;
  const url = await addressOf(context, server);
  return {
    server: {
      $schema: SCHEMA,
      name: `${namespaceOf(url)}.${workspace.slug}/${server.slug}`,
      title: server.name,
      description: server.description ?? catalogue?.server?.description ?? '',
      version: catalogue?.server?.version ?? '0.0.0',
      ...(catalogue?.server?.websiteUrl && { websiteUrl: catalogue.server.websiteUrl }),
      icons: JSON.parse(catalogue?.server?.icons ?? '[]'),
      remotes: [{ type: 'streamable-http', url }],
    },
    _meta: {
      [REGISTRY_META]: {
        publishedAt: server.createdAt.toISOString(),
        updatedAt: server.lastUpdatedAt.toISOString(),
        isLatest: true,
      },
    },
  };
}

/** `https://mcp.example.com/x` -> `com.example.mcp`. */
const namespaceOf = (url: string): string => new URL(url).hostname.split('.').reverse().join('.');
