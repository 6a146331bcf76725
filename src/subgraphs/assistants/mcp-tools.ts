import { requireScope } from '../../auth/index.ts';
import { GatewayError, invalidInput } from '../../errors/index.ts';
import { type McpServerRecord, mcpAccess } from '../../mcp/snapshot/index.ts';
import { isMcpTool, type McpOptions, type RunTool } from '../../runs/settings.ts';
import type { GraphContext } from '../context.ts';

type Place = {
  workspaceId: string;
  /** The member of the input that brings the tools: themselves, or the assistant that has them. */
  param: 'input.tools' | 'input.assistantId';
};

/**
 * The MCP servers that tools name. Throws VALIDATION_FAILED that names the member at fault for one that the workspace does not have, or
 * that has no such tools, and FORBIDDEN for one that the caller may not use.
 */
export async function requireMcpTools(
  context: GraphContext,
  tools: readonly RunTool[],
  { workspaceId, param }: Place,
): Promise<McpServerRecord[]> {
  if (!tools.some(isMcpTool)) return [];
  const { organisationId } = requireScope(context.principal, ['mcp.invoke']);
  const servers = new Map<string, McpServerRecord>();
  for (const [index, tool] of tools.entries()) {
    if (!isMcpTool(tool)) continue;
    const { server: slug } = tool.mcp;
    const refuse = (member: string, problem: string): never => {
      const path = `tools[${index}].mcp.${member}`;
      throw param === 'input.tools'
        ? invalidInput(`input.${path}`, `input.${path} ${problem}`)
        : invalidInput(param, `The assistant cannot be used: its ${path} ${problem}`);
    };
    const server = await context.mcp.snapshot.server(organisationId, slug);
    if (server?.slug !== slug || server.workspaceId !== workspaceId)
      return refuse('server', `must be the slug of an MCP server of the workspace, and ${slug} is none.`);
    if (servers.has(slug)) refuse('server', 'names a server that another tool names already.');
    servers.set(slug, server);
    requireAccess(context, server);
    requireTools(server, tool.mcp, refuse);
  }
  return [...servers.values()];
}

function requireAccess({ principal }: GraphContext, server: McpServerRecord): void {
  if (principal && mcpAccess(server, principal) === 'allowed') return;
  throw new GatewayError('FORBIDDEN', {
    message: `The credential may not use the MCP server ${server.slug}.`,
  });
}

function requireTools(
  { slug, usable }: McpServerRecord,
  { allowed_tools: allowed, require_approval: approval }: McpOptions,
  refuse: (member: string, problem: string) => never,
): void {
  const filters = typeof approval === 'object' && approval !== null ? approval : {};
  const lists: [string, readonly string[]][] = [
    Array.isArray(allowed)
      ? ['allowed_tools', allowed]
      : ['allowed_tools.tool_names', allowed?.tool_names ?? []],
    ['require_approval.always.tool_names', filters.always?.tool_names ?? []],
    ['require_approval.never.tool_names', filters.never?.tool_names ?? []],
  ];
  const known = new Set(usable.tool.map(({ key }) => key));
  for (const [member, names] of lists) {
    const index = names.findIndex((name) => !known.has(name));
    if (index >= 0)
      refuse(`${member}[${index}]`, `must be a tool of the MCP server ${slug}: ${shown([...known])}.`);
  }
}

const MOST_SHOWN = 20;

function shown(names: readonly string[]): string {
  if (names.length === 0) return 'it has none now';
  const some = names.slice(0, MOST_SHOWN).join(', ');
  return names.length > MOST_SHOWN ? `${some}, …` : some;
}
