import type { Connection, QueryFilter } from 'mongoose';
import type { LogRecord } from '../../../recording/log/record.ts';
import type { LogFilters } from '../../types.generated.ts';
import { tracesWithAverageFeedback } from '../feedback/index.ts';
import { logQuery } from './query.ts';

type Tenant = { organisationId: string; workspaceId?: string };

/** The query that filters stand for, with what has to be looked up for it; the tenant is the caller's to add. Errors name `place`. */
export async function findLogQuery(
  db: Connection,
  tenant: Tenant,
  filters: LogFilters,
  place?: string,
): Promise<QueryFilter<LogRecord>> {
  const query = logQuery(filters, place);
  const { weightedFeedbackMin: min, weightedFeedbackMax: max } = filters;
  if (min == null && max == null) return query;
  const since = filters.timeOfGenerationMin ?? null;
  const traceIds = await tracesWithAverageFeedback(db, tenant, { min, max, since });
  return { $and: [query, { traceId: { $in: traceIds } }] };
}
