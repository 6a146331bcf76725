import { requireScope } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import { freeName } from '../../lib/free-name.ts';
import { sharedName } from '../aggregate/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import { IdentityProblem, type ProveIdentity } from '../identity/index.ts';
import { type McpServerRecord, type McpSnapshot, mcpAccess } from '../snapshot/index.ts';
import { isAllowed } from './formats/approval-rule.ts';
import { type OfferedTool, refused, type WantedServer } from './formats/format.ts';

/** Functions that providers take in one request. */
const MAX_FUNCTIONS = 128;

export type FoundTool = OfferedTool & { server: McpServerRecord };

export type FindToolsDependencies = { snapshot: Pick<McpSnapshot, 'server'>; proveIdentity: ProveIdentity };

/**
 * The tools of servers that a request names, as far as its caller may use them. `taken`: names that functions have already. Throws
 * a GatewayError.
 */
export async function findTools(
  caller: McpCaller,
  wanted: readonly WantedServer[],
  dependencies: FindToolsDependencies,
  taken: Set<string> = new Set(),
): Promise<FoundTool[]> {
  requireScope(caller.key.principal, ['mcp.invoke']);
  const found: FoundTool[] = [];
  for (const { label, slug, allowed, asks, canAsk } of wanted) {
    const server = await serverOf(caller, slug, dependencies);
    for (const { key, definition } of server.usable.tool) {
      if (!isAllowed(key, definition.annotations, allowed)) continue;
      const functionName = freeName(functionNameOf(slug, key), taken);
      const isForced = server.approvedFirst.has(key);
      // Nobody could be asked: the model does not get to know of the tool.
      if (isForced && !canAsk) continue;
      const asksFirst = isForced || asks(key, definition.annotations);
      found.push({ functionName, label, name: key, definition, asksFirst, server });
    }
  }
  return found;
}

/** Throws a GatewayError for more functions than a model takes. */
export function requireRoom(count: number): void {
  if (count <= MAX_FUNCTIONS) return;
  throw refused(
    'tools',
    `tools comes to ${count} functions, and has at most ${MAX_FUNCTIONS}: see allowed_tools.`,
  );
}

/** What a tool is called among the functions that a model is offered. */
const functionNameOf = (slug: string, tool: string): string =>
  sharedName(slug, tool).replaceAll(/[^a-zA-Z0-9_-]/g, '_');

async function serverOf(
  { key, headers }: McpCaller,
  slug: string,
  { snapshot, proveIdentity }: FindToolsDependencies,
): Promise<McpServerRecord> {
  const { principal } = key;
  const server = await snapshot.server(principal.organisationId, slug);
  const access = server === null ? 'not_found' : mcpAccess(server, principal);
  if (server === null || access === 'not_found')
    throw refused('tools', `There is no MCP server ${slug.slice(0, 100)}.`);
  if (access === 'forbidden')
    throw new GatewayError('FORBIDDEN', { message: `The credential may not use the MCP server ${slug}.` });
  await proveIdentity(server, headers).catch((error: unknown) => {
    if (!(error instanceof IdentityProblem)) throw error;
    throw new GatewayError('FORBIDDEN', {
      message: `The MCP server ${slug} takes no such caller: ${error.message}`,
    });
  });
  return server;
}
