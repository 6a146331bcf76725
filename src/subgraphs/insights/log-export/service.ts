import { type Principal, requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { deniedExportFields, workspaceIdFor } from '../../identity/workspace/index.ts';
import { newestFirst } from '../../order.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type {
  CreateLogExportInput,
  LogExportField,
  LogExportFiltersInput,
  QueryLogExportsArgs,
  UpdateLogExportInput,
} from '../../types.generated.ts';
import { logModel, openingScopes } from '../log/index.ts';
import { withinOwn } from '../log-filters/index.ts';
import { exportQuery, type SelectedLogs } from './filters.ts';
import { actorOf, logExportById, visibleExports } from './loaders.ts';
import { type LogExportDocument, logExportModel, type StoredFilters } from './model.ts';

type ListArguments = QueryLogExportsArgs & PageArguments;
type Owner = Pick<LogExportDocument, 'organisationId' | 'workspaceId'>;

/** Exports that a workspace may have; they go when they expire, as logs do. */
const MAX_EXPORTS = 1000;
const DAY = 24 * 60 * 60 * 1000;

export async function getLogExport(context: GraphContext, id: string): Promise<LogExportDocument> {
  requireScope(context.principal, ['logs.export']);
  const found = await logExportById(context).load(id);
  if (!found) throw new GatewayError('NOT_FOUND', { message: 'The export does not exist.' });
  return found;
}

/** For references from other resources: null when the export is gone or out of the credential's reach. */
export async function referencedLogExport(
  context: GraphContext,
  id: string,
): Promise<LogExportDocument | null> {
  requireScope(context.principal, ['logs.export']);
  return logExportById(context).load(id);
}

export async function listLogExports(context: GraphContext, { workspaceId: named, ...page }: ListArguments) {
  const principal = requireScope(context.principal, ['logs.export']);
  const workspaceId = named && (await workspaceIdFor(context, named));
  const filter = { ...visibleExports(principal), ...(workspaceId && { workspaceId }) };
  return findPage(logExportModel(context.db), filter, page, newestFirst);
}

export async function createLogExport(
  context: GraphContext,
  input: CreateLogExportInput,
): Promise<LogExportDocument> {
  const principal = requireScope(context.principal, ['logs.export']);
  const workspaceId = await workspaceIdFor(context, input.workspaceId ?? input.filters.workspaceSlug);
  const owner = { organisationId: principal.organisationId, workspaceId };
  await requireAllowed(context, workspaceId, input.requestedData);
  const drawnUp = { filters: storedFilters(principal, input.filters), reader: readerOf(principal) };
  const total = await countMatches(context, { ...owner, ...drawnUp, startedAt: null });
  await requireRoom(context, owner);
  const created = await logExportModel(context.db).create({
    _id: uuid(),
    ...owner,
    ...drawnUp,
    requestedData: [...new Set(input.requestedData)],
    status: 'draft',
    description: input.description ?? '',
    total,
    createdBy: actorOf(principal),
    expiresAt: new Date(context.now().getTime() + context.requestLogs.retentionDays * DAY),
  });
  return created.toObject<LogExportDocument>();
}

export async function updateLogExport(
  context: GraphContext,
  id: string,
  input: UpdateLogExportInput,
): Promise<LogExportDocument> {
  const principal = requireScope(context.principal, ['logs.export']);
  const found = await getLogExport(context, id);
  const named = input.workspaceId ?? input.filters.workspaceSlug;
  const workspaceId = named ? await workspaceIdFor(context, named) : found.workspaceId;
  const owner = { organisationId: found.organisationId, workspaceId };
  const requestedData = input.requestedData ? [...new Set(input.requestedData)] : found.requestedData;
  await requireAllowed(context, workspaceId, requestedData);
  const drawnUp = { filters: storedFilters(principal, input.filters), reader: readerOf(principal) };
  const total = await countMatches(context, { ...owner, ...drawnUp, startedAt: null });
  const updated = await logExportModel(context.db)
    .findOneAndUpdate(
      { _id: found._id, organisationId: found.organisationId, status: 'draft' },
      { ...owner, ...drawnUp, requestedData, total },
      { returnDocument: 'after' },
    )
    .lean<LogExportDocument>();
  if (!updated) throw new GatewayError('VALIDATION_FAILED', { message: 'Only a draft can be changed.' });
  return updated;
}

export async function fieldRestrictions(context: GraphContext, named: string | null | undefined) {
  requireScope(context.principal, ['logs.export']);
  return { deniedFields: await deniedExportFields(context, await workspaceIdFor(context, named)) };
}

/** Throws FORBIDDEN naming the first field that the organisation, or the workspace, keeps out of exports. */
export async function requireAllowed(
  context: GraphContext,
  workspaceId: string,
  requested: readonly LogExportField[],
): Promise<void> {
  const denied = await deniedExportFields(context, workspaceId);
  const index = requested.findIndex((field) => denied.includes(field));
  if (index < 0) return;
  throw new GatewayError('FORBIDDEN', {
    message: `The field ${requested[index]} may not be exported here.`,
    param: `input.requestedData[${index}]`,
  });
}

async function requireRoom({ db }: GraphContext, owner: Owner): Promise<void> {
  if ((await logExportModel(db).countDocuments(owner)) < MAX_EXPORTS) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `A workspace has at most ${MAX_EXPORTS} exports; the oldest go by themselves.`,
  });
}

const readerOf = (principal: Principal) => ({ id: principal.id, scopes: openingScopes(principal) });

/** Number of logs on the page that the filters ask for, as things are now. */
async function countMatches({ db, signal }: GraphContext, selected: SelectedLogs): Promise<number> {
  const { filters } = selected;
  const query = await exportQuery(db, selected, signal);
  const window = { skip: filters.currentPage * filters.pageSize, limit: filters.pageSize };
  return orTooSlow(
    logModel(db)
      .countDocuments(query, { ...boundedRead, ...window })
      .exec(),
  );
}

const storedFilters = (
  principal: Principal,
  { pageSize, currentPage, ...filters }: LogExportFiltersInput,
): StoredFilters => ({
  ...withinOwn(principal, filters),
  pageSize: pageSize ?? 50_000,
  currentPage: currentPage ?? 0,
});
