import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type {
  CreateMcpServerInput,
  McpConnectionTest,
  QueryMcpServersArgs,
  UpdateMcpServerInput,
} from '../../types.generated.ts';
import { ifUnchanged, notWritten, orAlreadyExists } from '../../writes.ts';
import {
  integrationOfServer,
  isGrantedTo,
  namedMcpIntegration,
  tryIntegration,
} from '../mcp-integration/index.ts';
import { mcpServerNotFound, requireMcpServer } from './find.ts';
import { type McpServerDocument, mcpServerModel } from './model.ts';
import { removeMcpServers } from './remove.ts';

type ListArguments = QueryMcpServersArgs & SortedPageArguments;

export async function listMcpServers(context: GraphContext, args: ListArguments) {
  const principal = requireScope(context.principal, ['mcp_servers.list']);
  const names = args.ids && { $in: [...args.ids] };
  return findPage(
    mcpServerModel(context.db),
    {
      $and: [
        tenantFilter(principal),
        args.workspaceId ? { workspaceId: await workspaceIdFor(context, args.workspaceId) } : {},
        names ? { $or: [{ _id: names }, { slug: names }] } : {},
        resourceFilter({ name: args.search }),
      ],
    },
    args,
    orderOf(args.sort),
  );
}

export async function createMcpServer(
  context: GraphContext,
  input: CreateMcpServerInput,
): Promise<McpServerDocument> {
  const principal = requireScope(context.principal, ['mcp_servers.create']);
  const { organisationId } = principal;
  const workspaceId = await workspaceIdFor(context, input.workspaceId);
  const mcpIntegrationId = await usableIntegrationId(context, { organisationId, workspaceId }, input);
  const created = await orAlreadyExists(
    mcpServerModel(context.db).create({
      _id: uuid(),
      organisationId,
      workspaceId,
      slug: input.slug ?? slugFrom(input.name),
      name: input.name,
      description: input.description ?? null,
      mcpIntegrationId,
      ownerId: principal.userId ?? principal.id,
    }),
  );
  await context.changes.publish('mcp_server');
  return created.toObject<McpServerDocument>();
}

/** The integration that an input names; a workspace uses its own, and those of the organisation that are granted to it. */
async function usableIntegrationId(
  context: GraphContext,
  { organisationId, workspaceId }: Pick<McpServerDocument, 'organisationId' | 'workspaceId'>,
  { mcpIntegrationId: named }: CreateMcpServerInput,
): Promise<string> {
  const param = 'input.mcpIntegrationId';
  const integration = await namedMcpIntegration(context, organisationId, named);
  if (!integration)
    throw invalidInput(param, 'mcp_integration_id names no MCP integration of this organisation.');
  if (!isGrantedTo(integration, workspaceId))
    throw new GatewayError('FORBIDDEN', {
      message: 'The workspace may not use this MCP integration.',
      param,
    });
  return integration._id;
}

export async function updateMcpServer(
  context: GraphContext,
  id: string,
  input: UpdateMcpServerInput,
): Promise<McpServerDocument> {
  const { _id, organisationId } = await requireMcpServer(context, id, 'mcp_servers.update');
  const updated = await mcpServerModel(context.db)
    .findOneAndUpdate(
      { _id, organisationId, ...ifUnchanged(context) },
      {
        ...(input.name != null && { name: input.name }),
        ...(input.description !== undefined && { description: input.description }),
      },
      { returnDocument: 'after' },
    )
    .lean<McpServerDocument>();
  if (!updated) throw notWritten(context, mcpServerNotFound());
  await context.changes.publish('mcp_server');
  return updated;
}

export async function deleteMcpServer(context: GraphContext, id: string): Promise<string> {
  const { _id, organisationId } = await requireMcpServer(context, id, 'mcp_servers.delete');
  const { deletedCount } = await mcpServerModel(context.db).deleteOne({
    _id,
    organisationId,
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, mcpServerNotFound());
  await removeMcpServers(context, organisationId, [_id]);
  await context.changes.publish('mcp_server');
  return _id;
}

/** Tries to reach the server behind an MCP server. */
export async function testMcpServer(context: GraphContext, id: string): Promise<McpConnectionTest> {
  const { mcpIntegrationId } = await requireMcpServer(context, id, 'mcp_servers.read');
  const integration = await integrationOfServer(context).load(mcpIntegrationId);
  if (!integration) throw mcpServerNotFound();
  return tryIntegration(context, integration);
}
