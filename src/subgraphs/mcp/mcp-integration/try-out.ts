import type { GraphContext } from '../../context.ts';
import type { McpConnectionTest } from '../../types.generated.ts';
import { askForSync } from '../mcp-capability/index.ts';
import { requireMcpIntegration } from './find.ts';
import type { McpIntegrationDocument } from './model.ts';
import { upstreamTargets } from './targets.ts';

/** Tries to reach the server of an integration that the caller may read. */
export async function testMcpIntegration(context: GraphContext, id: string): Promise<McpConnectionTest> {
  const { integration } = await requireMcpIntegration(context, id, 'read');
  return tryIntegration(context, integration);
}

/** The same for one that the caller reaches by an MCP server. What it finds anew is read at once. */
export async function tryIntegration(
  context: GraphContext,
  integration: McpIntegrationDocument,
): Promise<McpConnectionTest> {
  const [target] = await upstreamTargets(context.db, context.secrets, [integration]);
  if (!target) throw new Error('An integration has no target.');
  const tried = await context.mcp.tryOut(target);
  if (tried.success) await askForSync(context, integration);
  return tried;
}
