import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../auth/index.ts';
import type { Directory } from '../../directory/memory.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { splitUrl } from '../../lib/http/request-url.ts';
import { type AggregateRecord, aggregateOf } from '../aggregate/index.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpPlace } from '../paths.ts';
import { type McpServerRecord, type McpSnapshot, mcpAccess } from '../snapshot/index.ts';
import type { McpArrival } from './visits.ts';

export type FindDependencies = {
  snapshot: Pick<McpSnapshot, 'server' | 'slugsOf'>;
  workspaces: Directory['workspaces'];
};

const notFound = (slug: string) =>
  new RpcFailure(rpc.notFound, `There is no MCP server ${slug}.`, { status: 404 });

/** The MCP server at a path, for a caller that may use it. Throws an RpcFailure for every other. */
export async function serverAt(
  { caller, request }: Pick<McpArrival, 'caller' | 'request'>,
  place: McpPlace,
  { snapshot, workspaces }: FindDependencies,
): Promise<McpServerRecord> {
  const { principal } = caller.key;
  if (place.kind === 'aggregate') return allServers({ caller, request }, { snapshot });
  if (place.kind !== 'server') throw notFound('');
  const found = snapshot.server(principal.organisationId, place.slug);
  const server = found instanceof Promise ? await found : found;
  if (server === null) throw notFound(place.slug);
  if (place.workspace !== null) {
    const named = await workspaces.get(`${principal.organisationId}/${place.workspace}`);
    if (named?.id !== server.workspaceId) throw notFound(place.slug);
  }
  const access = mcpAccess(server, principal);
  if (access === 'not_found') throw notFound(place.slug);
  if (access === 'forbidden')
    throw new RpcFailure(rpc.forbidden, `The credential may not use the MCP server ${server.slug}.`, {
      status: 403,
    });
  if (server.upstream.configurations.jwt_validation !== undefined)
    throw new RpcFailure(rpc.forbidden, 'The MCP server asks for tokens that cannot be judged yet.', {
      status: 403,
    });
  return server;
}

const MAX_SERVERS = 200;

/** All servers that a caller may use, or those of them that the request names, as one. */
export async function allServers(
  { caller, request }: Pick<McpArrival, 'caller'> & { request: Pick<IncomingMessage, 'headers' | 'url'> },
  { snapshot }: Pick<FindDependencies, 'snapshot'>,
): Promise<AggregateRecord> {
  const { principal } = caller.key;
  const { organisationId, workspaceId } = principal;
  if (workspaceId === null)
    throw new RpcFailure(rpc.forbidden, 'Name a workspace in x-gateway-workspace-id.', { status: 403 });
  const wanted = namedServers(request);
  const slugs = (await snapshot.slugsOf(workspaceId)).filter((slug) => wanted === null || wanted.has(slug));
  const servers: McpServerRecord[] = [];
  for (const slug of slugs.slice(0, MAX_SERVERS)) {
    const found = snapshot.server(organisationId, slug);
    const server = found instanceof Promise ? await found : found;
    if (server && isUsable(server, principal)) servers.push(server);
  }
  return aggregateOf({ organisationId, workspaceId }, servers);
}

const isUsable = (server: McpServerRecord, principal: Principal): boolean =>
  mcpAccess(server, principal) === 'allowed' && server.upstream.configurations.jwt_validation === undefined;

/** The servers to which a request narrows itself: by header or query. Null for all. */
function namedServers({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): Set<string> | null {
  const text =
    headerOf(headers, 'x-gateway-mcp-servers') ??
    new URLSearchParams(splitUrl(url).query).get('servers') ??
    '';
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length === 0 ? null : new Set(names);
}
