import { requireScope, tenantFilter } from '../../../auth/index.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import type { LogFilters } from '../../types.generated.ts';
import { findLogQuery, withinOwn } from '../log-filters/index.ts';
import type { LogQuestion } from './reading.ts';
import { searchedIds } from './search.ts';

/** What filters stand for; throws FORBIDDEN for whoever may not list logs. A search is done, and stands for what it found. */
export async function questionOf(
  context: GraphContext,
  filters: LogFilters | null | undefined,
): Promise<LogQuestion> {
  const question = await unsearched(context, filters);
  const { search } = question.filters;
  if (search == null) return question;
  const ids = await searchedIds(context, question.query, search);
  return { ...question, query: { $and: [question.query, { _id: { $in: ids } }] } };
}

/** The same, but for the search. */
export async function unsearched(
  context: GraphContext,
  given: LogFilters | null | undefined,
): Promise<LogQuestion> {
  const principal = requireScope(context.principal, ['logs.list']);
  const filters = withinOwn(principal, given ?? {});
  const tenant = tenantFilter(principal);
  const named = filters.workspaceSlug;
  const workspaceId = named && (await workspaceIdFor(context, named, 'filters.workspaceSlug'));
  const owner = { ...tenant, ...(workspaceId && { workspaceId }) };
  const query = { ...owner, ...(await findLogQuery(context.db, owner, filters)) };
  return { owner, filters, query };
}
