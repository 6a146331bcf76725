import type { QueryFilter } from 'mongoose';
import type { LogRecord } from '../../../recording/log/record.ts';
import {
  type Dimension,
  PROMPT_KEY,
  type RequestDimension,
  requestDimensions,
} from '../../../recording/rollups/facets.ts';
import type { AnalyticsFilters } from '../../types.generated.ts';
import { logQuery, parseModel } from '../log/index.ts';

type Row = readonly Dimension[];

const at = (name: RequestDimension): number => requestDimensions.indexOf(name);

/** Filters that only the logs themselves can answer. */
const ofLogs = [
  'totalUnitsMin',
  'totalUnitsMax',
  'promptTokenMin',
  'promptTokenMax',
  'completionTokenMin',
  'completionTokenMax',
  'costMin',
  'costMax',
  'weightedFeedbackMin',
  'weightedFeedbackMax',
  'traceId',
  'spanId',
  'metadata',
] as const satisfies readonly (keyof AnalyticsFilters)[];

/** Filters by what the rows of requests are told apart by. */
const ofRows = [
  'statusCode',
  'aiOrgModel',
  'configs',
  'virtualKeys',
  'apiKeyIds',
  'promptSlug',
] as const satisfies readonly (keyof AnalyticsFilters)[];

export const needsLogs = (filters: AnalyticsFilters): boolean => ofLogs.some((name) => filters[name] != null);
export const filtersRows = (filters: AnalyticsFilters): boolean =>
  ofRows.some((name) => filters[name] != null);
/** Whether the filters tell requests apart by more than their status. */
export const filtersDimensions = ({ statusCode: _status, ...others }: AnalyticsFilters): boolean =>
  filtersRows(others as AnalyticsFilters);

/** Whether a row of requests is asked for; null when all are. */
export function rowMatcher(filters: AnalyticsFilters): ((row: Row) => boolean) | null {
  const { statusCode, aiOrgModel, configs, virtualKeys, apiKeyIds, promptSlug } = filters;
  const conditions = [
    isIn('status', statusCode),
    isIn('configSlug', configs),
    isIn(
      'providerSlug',
      virtualKeys?.map((slug) => slug.replace(/^@/, '')),
    ),
    isIn('apiKeyId', apiKeyIds),
    isIn('prompt', promptSlug == null ? null : [promptSlug]),
    aiOrgModel && isOfModel(aiOrgModel),
  ].filter((condition) => condition != null);
  if (conditions.length === 0) return null;
  return (row) => conditions.every((holds) => holds(row));
}

function isIn(name: RequestDimension, values: readonly Dimension[] | null | undefined) {
  if (values == null) return null;
  const wanted = new Set(values);
  const index = at(name);
  return (row: Row) => wanted.has(row[index] as Dimension);
}

function isOfModel(texts: readonly string[]) {
  const models = texts.map(parseModel);
  const [provider, model] = [at('aiProvider'), at('aiModel')];
  return (row: Row) =>
    models.some(({ aiProvider, aiModel }) => row[provider] === aiProvider && row[model] === aiModel);
}

/** The query for the logs that the filters let through, but for their time, their workspace and their feedback. */
export const logsQuery = ({ promptSlug, ...filters }: AnalyticsFilters): QueryFilter<LogRecord> => ({
  ...logQuery(filters),
  ...(promptSlug != null && { [`metadata.${PROMPT_KEY}`]: promptSlug }),
});
