import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdsNamed } from '../../identity/workspace/index.ts';
import type {
  McpIntegrationWorkspaceInput,
  UpdateMcpIntegrationWorkspacesInput,
} from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { mcpIntegrationNotFound, requireMcpIntegration } from './find.ts';
import { type McpIntegrationDocument, type McpWorkspaceEntry, mcpIntegrationModel } from './model.ts';

const MAX_ENTRIES = 2000;
const ATTEMPTS = 5;

/** The workspaces that have an entry of their own; a workspace-level integration has that of its workspace. */
export async function mcpIntegrationWorkspaces(context: GraphContext, id: string, limit: number) {
  const { integration } = await requireMcpIntegration(context, id, 'read');
  const entries = entriesOf(integration);
  const { globalWorkspaceAccess } = integration;
  return { total: entries.length, data: entries.slice(0, limit), globalWorkspaceAccess };
}

function entriesOf({ workspaceId, workspaces, createdAt, lastUpdatedAt }: McpIntegrationDocument) {
  if (workspaceId === null) return workspaces;
  return [{ workspaceId, enabled: true, createdAt, lastUpdatedAt }];
}

/** Says which workspaces may use an organisation-level integration. */
export async function updateMcpIntegrationWorkspaces(
  context: GraphContext,
  id: string,
  input: UpdateMcpIntegrationWorkspacesInput,
): Promise<McpIntegrationDocument> {
  const { integration } = await requireMcpIntegration(context, id, 'update');
  if (integration.workspaceId !== null)
    throw invalidInput('id', 'A workspace-level MCP integration cannot be shared with workspaces.');
  const named = await namedEntries(context, integration.organisationId, input.workspaces);
  let current = integration;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const updated = await replaceEntries(context, current, {
      workspaces: merged(context, current, named, input.overrideExistingWorkspaceAccess ?? false),
      globalWorkspaceAccess: input.globalWorkspaceAccess ?? current.globalWorkspaceAccess,
    });
    if (updated) {
      await context.changes.publish('mcp_integration');
      return updated;
    }
    if (context.unchangedSince) break;
    const { _id, organisationId } = integration;
    const found = await mcpIntegrationModel(context.db)
      .findOne({ _id, organisationId })
      .lean<McpIntegrationDocument>();
    if (!found) throw mcpIntegrationNotFound();
    current = found;
  }
  const message = 'The MCP integration is being changed by others; read it again and retry.';
  throw notWritten(context, new GatewayError('ALREADY_EXISTS', { message }));
}

type Entries = Pick<McpIntegrationDocument, 'workspaces' | 'globalWorkspaceAccess'>;

/** Writes entries in the place of those that they were made from; null where these are there no more. */
const replaceEntries = (
  context: GraphContext,
  { _id, organisationId, workspaces, globalWorkspaceAccess }: McpIntegrationDocument,
  entries: Entries,
): Promise<McpIntegrationDocument | null> =>
  mcpIntegrationModel(context.db)
    .findOneAndUpdate(
      { _id, organisationId, workspaces, globalWorkspaceAccess, ...ifUnchanged(context) },
      entries,
      { returnDocument: 'after' },
    )
    .lean<McpIntegrationDocument>()
    .exec();

type Named = { workspaceId: string; enabled: boolean };

function merged(
  { now }: GraphContext,
  { workspaces }: McpIntegrationDocument,
  named: readonly Named[],
  overrides: boolean,
): McpWorkspaceEntry[] {
  const before = new Map(workspaces.map((entry) => [entry.workspaceId, entry]));
  const all = new Map(overrides ? [] : before);
  const lastUpdatedAt = now();
  for (const { workspaceId, enabled } of named) {
    const createdAt = before.get(workspaceId)?.createdAt ?? lastUpdatedAt;
    all.set(workspaceId, { workspaceId, enabled, createdAt, lastUpdatedAt });
  }
  if (all.size > MAX_ENTRIES)
    throw invalidInput('input.workspaces', `An MCP integration lists at most ${MAX_ENTRIES} workspaces.`);
  return [...all.values()];
}

async function namedEntries(
  { db }: GraphContext,
  organisationId: string,
  workspaces: readonly McpIntegrationWorkspaceInput[],
): Promise<Named[]> {
  const names = workspaces.map(({ id }) => id);
  const idOf = await workspaceIdsNamed(db, organisationId, names);
  const seen = new Set<string>();
  return workspaces.map(({ id, enabled }, index) => {
    const param = `input.workspaces[${index}].id`;
    const workspaceId = idOf.get(id);
    if (workspaceId === undefined)
      throw invalidInput(param, `${param} names no workspace of this organisation.`);
    if (seen.has(workspaceId)) throw invalidInput(param, `${param} names a workspace twice.`);
    seen.add(workspaceId);
    return { workspaceId, enabled };
  });
}
