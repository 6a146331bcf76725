import { isObject, type JsonObject } from '../../lib/json.ts';
import type { ServerDescription } from '../catalogue/index.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { offeredCapabilities } from '../lines/features.ts';
import { LATEST } from '../lines/handshake.ts';
import { saysChanges } from '../lines/subscription.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { legacyVersions, MODERN_VERSION, SERVER_INFO } from '../upstream/index.ts';

/** Milliseconds for which callers may keep what is said of a server. */
const TTL_MS = 60_000;

/** What was read of a server; throws where nothing was read yet: until then nobody may use anything of it. */
export function helloOf(server: McpServerRecord): NonNullable<McpServerRecord['hello']> {
  if (server.hello) return server.hello;
  throw new RpcFailure(rpc.unreachable, `The MCP server ${server.slug} was not read yet.`, {
    data: { server: server.slug, maybe_executed: false },
  });
}

/** A server's own words about itself, in the form of the protocol. */
export function serverInfoOf({ slug, hello }: Pick<McpServerRecord, 'slug' | 'hello'>): JsonObject {
  const said: ServerDescription | null = hello?.server ?? null;
  return {
    name: said?.name ?? slug,
    version: said?.version ?? '',
    ...(said?.title && { title: said.title }),
    ...(said?.description && { description: said.description }),
    ...(said?.websiteUrl && { websiteUrl: said.websiteUrl }),
    ...(said && said.icons !== '[]' && { icons: JSON.parse(said.icons) }),
  };
}

/** Whether callers of the modern era hear when a resource changes: the server says so in that era. */
export const saysResources = (server: McpServerRecord): boolean =>
  saysChanges(server) &&
  isObject(server.hello?.capabilities.resources) &&
  server.hello.capabilities.resources.subscribe === true;

/** The answer to `server/discover`, out of memory. */
export function discovered(server: McpServerRecord): JsonObject {
  const { capabilities, instructions } = helloOf(server);
  const { configurations } = server.upstream;
  return {
    resultType: 'complete',
    supportedVersions: [MODERN_VERSION],
    capabilities: offeredCapabilities(capabilities, configurations, {
      ...{ mayMirror: false, mayWatch: saysResources(server), version: MODERN_VERSION },
    }),
    ...(instructions !== null && { instructions }),
    ttlMs: TTL_MS,
    cacheScope: 'private',
    _meta: { [SERVER_INFO]: serverInfoOf(server) },
  };
}

/** The answer to `initialize`. `mayMirror`: there is an upstream session behind the caller's. */
export function initialized(server: McpServerRecord, version: string, mayMirror: boolean): JsonObject {
  const { capabilities, instructions } = helloOf(server);
  return {
    protocolVersion: version,
    capabilities: offeredCapabilities(capabilities, server.upstream.configurations, {
      ...{ mayMirror, mayWatch: mayMirror, version },
    }),
    serverInfo: serverInfoOf(server),
    ...(instructions !== null && { instructions }),
  };
}

/** The revision that is spoken with a caller that asks for one. */
export const agreedVersion = (asked: unknown): string =>
  legacyVersions.find((version) => version === asked) ?? LATEST;
