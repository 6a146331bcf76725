import type { Directory } from '../../directory/memory.ts';
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
  { caller }: Pick<McpArrival, 'caller'>,
  place: McpPlace,
  { snapshot, workspaces }: FindDependencies,
): Promise<McpServerRecord> {
  if (place.kind !== 'server') throw notFound('');
  const { principal } = caller.key;
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
