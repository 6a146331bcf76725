import type { IncomingMessage } from 'node:http';
import type { Directory } from '../../directory/memory.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { splitUrl } from '../../lib/http/request-url.ts';
import { type AggregateRecord, aggregateOf } from '../aggregate/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { IdentityProblem, type ProveIdentity } from '../identity/index.ts';
import type { McpPlace } from '../paths.ts';
import { type McpServerRecord, type McpSnapshot, mcpAccess } from '../snapshot/index.ts';
import { challenge } from './challenge.ts';
import type { McpArrival } from './visits.ts';

export type FindDependencies = {
  snapshot: Pick<McpSnapshot, 'server' | 'slugsOf'>;
  workspaces: Directory['workspaces'];
  proveIdentity: ProveIdentity;
};

const notFound = (slug: string) =>
  new RpcFailure(rpc.notFound, `There is no MCP server ${slug}.`, { status: 404 });

type Asking = Pick<McpArrival, 'caller' | 'request' | 'visit'>;

/** The MCP server at a path, for a caller that may use it. Throws, or rejects with, an RpcFailure for every other. */
export function serverAt(
  asking: Asking,
  place: McpPlace,
  dependencies: FindDependencies,
): McpServerRecord | Promise<McpServerRecord> {
  const { principal } = asking.caller.key;
  if (place.kind === 'aggregate') return allServers(asking, dependencies);
  if (place.kind !== 'server') throw notFound('');
  const found = dependencies.snapshot.server(principal.organisationId, place.slug);
  if (found instanceof Promise || place.workspace !== null || needsProof(found))
    return proven(found, asking, place, dependencies);
  return allowed(found, asking, place);
}

const needsProof = (server: McpServerRecord | null): boolean =>
  server !== null && server.upstream.configurations.jwt_validation !== undefined;

/** The same where something has to be waited for. */
async function proven(
  found: Promise<McpServerRecord | null> | McpServerRecord | null,
  asking: Asking,
  place: McpPlace & { kind: 'server' },
  { workspaces, proveIdentity }: FindDependencies,
): Promise<McpServerRecord> {
  const { caller, visit } = asking;
  const server = await found;
  if (server === null) throw notFound(place.slug);
  if (place.workspace !== null) {
    const named = await workspaces.get(`${caller.key.principal.organisationId}/${place.workspace}`);
    if (named?.id !== server.workspaceId) throw notFound(place.slug);
  }
  allowed(server, asking, place);
  if (needsProof(server))
    await proveIdentity(server, caller.headers).catch((error: unknown) => {
      throw error instanceof IdentityProblem ? challenge(visit.resourceUrl, error.message, true) : error;
    });
  return server;
}

function allowed(
  server: McpServerRecord | null,
  { caller }: Asking,
  { slug }: McpPlace & { kind: 'server' },
): McpServerRecord {
  const access = server === null ? 'not_found' : mcpAccess(server, caller.key.principal);
  if (server === null || access === 'not_found') throw notFound(slug);
  if (access === 'forbidden')
    throw new RpcFailure(rpc.forbidden, `The credential may not use the MCP server ${server.slug}.`, {
      status: 403,
    });
  return server;
}

const MAX_SERVERS = 200;

/** All servers that a caller may use, or those of them that the request names, as one. */
export async function allServers(
  { caller, request }: Pick<McpArrival, 'caller'> & { request: Pick<IncomingMessage, 'headers' | 'url'> },
  { snapshot, proveIdentity }: Pick<FindDependencies, 'snapshot' | 'proveIdentity'>,
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
    if (
      server &&
      mcpAccess(server, principal) === 'allowed' &&
      (await isProven(server, caller, proveIdentity))
    )
      servers.push(server);
  }
  return aggregateOf({ organisationId, workspaceId }, servers);
}

/** Whether a server asks for no token of a person, or the request brings one that it takes. */
export function isProven(
  server: McpServerRecord,
  { headers }: Pick<McpCaller, 'headers'>,
  proveIdentity: ProveIdentity,
): boolean | Promise<boolean> {
  if (server.upstream.configurations.jwt_validation === undefined) return true;
  return proveIdentity(server, headers).then(
    () => true,
    (error: unknown) => {
      if (error instanceof IdentityProblem) return false;
      throw error;
    },
  );
}

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
