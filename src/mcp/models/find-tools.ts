import { requireScope } from '../../auth/index.ts';
import type { Call } from '../../dataplane/call/call.ts';
import { GatewayError } from '../../errors/index.ts';
import { isObject } from '../../lib/json.ts';
import { sharedName } from '../aggregate/index.ts';
import { IdentityProblem, type ProveIdentity } from '../identity/index.ts';
import { type McpServerRecord, type McpSnapshot, mcpAccess } from '../snapshot/index.ts';
import { type AllowedTools, type OfferedTool, refused, type WantedServer } from './formats/format.ts';

/** Functions that providers take in one request. */
const MAX_FUNCTIONS = 128;

export type FoundTool = OfferedTool & { server: McpServerRecord };

export type FindToolsDependencies = { snapshot: Pick<McpSnapshot, 'server'>; proveIdentity: ProveIdentity };

/** The tools of servers that a request names, as far as its caller may use them. Throws a GatewayError. */
export async function findTools(
  call: Call,
  wanted: readonly WantedServer[],
  dependencies: FindToolsDependencies,
): Promise<FoundTool[]> {
  requireScope(call.key.principal, ['mcp.invoke']);
  const found: FoundTool[] = [];
  const names = new Set<string>();
  for (const { label, slug, allowed } of wanted) {
    const server = await serverOf(call, slug, dependencies);
    for (const { key, definition } of server.usable.tool) {
      if (!isAllowed(key, definition.annotations, allowed)) continue;
      const functionName = freeName(sharedName(slug, key).replaceAll(/[^a-zA-Z0-9_-]/g, '_'), names);
      found.push({ functionName, label, name: key, definition, server });
    }
  }
  const own =
    call.body.kind === 'json' && Array.isArray(call.body.value.tools) ? call.body.value.tools.length : 0;
  const count = found.length + own;
  if (count > MAX_FUNCTIONS)
    throw refused(
      'tools',
      `tools comes to ${count} functions, and has at most ${MAX_FUNCTIONS}: see allowed_tools.`,
    );
  return found;
}

async function serverOf(
  { key, headers }: Call,
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

function isAllowed(name: string, annotations: unknown, { names, readOnly }: AllowedTools): boolean {
  if (names !== null && !names.has(name)) return false;
  return !readOnly || (isObject(annotations) && annotations.readOnlyHint === true);
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name.slice(0, 60)}_${count}`;
  taken.add(free);
  return free;
}
