import {
  type Dimension,
  type RequestDimension,
  requestDimensions,
} from '../../../recording/rollups/facets.ts';
import type { LogFilters } from '../../types.generated.ts';
import { bareSlug, parseModel } from './query.ts';

type Row = readonly Dimension[];
type Matcher = (row: Row) => boolean;

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
  'notMetadata',
  'responseTimeMin',
  'responseTimeMax',
  'userId',
  'notUserId',
  'source',
  'notSource',
  'stream',
  'search',
] as const satisfies readonly (keyof LogFilters)[];

/** Filters by the status of the answer, which roll-ups never give up. */
const ofStatus = [
  'statusCode',
  'notStatusCode',
  'statusClass',
  'hasError',
] as const satisfies readonly (keyof LogFilters)[];

/** Filters by what else the rows of requests are told apart by. */
const ofDimensions = [
  'aiOrgModel',
  'notAiOrgModel',
  'configs',
  'notConfigs',
  'virtualKeys',
  'notVirtualKeys',
  'apiKeyIds',
  'notApiKeyIds',
  'promptSlug',
] as const satisfies readonly (keyof LogFilters)[];

/** Of these too, but rows of older versions do not have them. */
const ofLateDimensions = [
  'endpoint',
  'notEndpoint',
  'cacheStatus',
  'notCacheStatus',
] as const satisfies readonly (keyof LogFilters)[];

const has = (filters: LogFilters, names: readonly (keyof LogFilters)[]): boolean =>
  names.some((name) => filters[name] != null);

export const needsLogs = (filters: LogFilters): boolean => has(filters, ofLogs);
/** Whether the filters tell requests apart by what only later versions kept in rows. */
export const filtersLateDimensions = (filters: LogFilters): boolean => has(filters, ofLateDimensions);
/** Whether the filters tell requests apart by more than their status. */
export const filtersDimensions = (filters: LogFilters): boolean =>
  has(filters, ofDimensions) || filtersLateDimensions(filters);
export const filtersRows = (filters: LogFilters): boolean =>
  has(filters, ofStatus) || filtersDimensions(filters);

/** Whether a row of requests is asked for; null when all are. */
export function rowMatcher(filters: LogFilters): Matcher | null {
  const { promptSlug, aiOrgModel, notAiOrgModel, statusClass, hasError } = filters;
  const conditions = [
    isIn('status', filters.statusCode),
    isNotIn('status', filters.notStatusCode),
    statusClass && hasStatus((status) => statusClass.includes(Math.floor(status / 100))),
    hasError == null ? null : hasStatus((status) => (status < 200 || status > 299) === hasError),
    isIn('configSlug', filters.configs),
    isNotIn('configSlug', filters.notConfigs),
    isIn('providerSlug', filters.virtualKeys?.map(bareSlug)),
    isNotIn('providerSlug', filters.notVirtualKeys?.map(bareSlug)),
    isIn('apiKeyId', filters.apiKeyIds),
    isNotIn('apiKeyId', filters.notApiKeyIds),
    isIn('endpoint', filters.endpoint),
    isNotIn('endpoint', filters.notEndpoint),
    isIn('cacheStatus', filters.cacheStatus),
    isNotIn('cacheStatus', filters.notCacheStatus),
    isIn('prompt', promptSlug == null ? null : [promptSlug]),
    aiOrgModel && isOfModel(aiOrgModel),
    notAiOrgModel && not(isOfModel(notAiOrgModel)),
  ].filter((condition) => condition != null);
  if (conditions.length === 0) return null;
  return (row) => conditions.every((holds) => holds(row));
}

const not =
  (matches: Matcher): Matcher =>
  (row) =>
    !matches(row);

function isIn(name: RequestDimension, values: readonly Dimension[] | null | undefined): Matcher | null {
  if (values == null) return null;
  const wanted = new Set(values);
  const index = at(name);
  return (row) => wanted.has(row[index] as Dimension);
}

function isNotIn(name: RequestDimension, values: readonly Dimension[] | null | undefined): Matcher | null {
  const matches = isIn(name, values);
  return matches && not(matches);
}

function hasStatus(holds: (status: number) => boolean): Matcher {
  const index = at('status');
  return (row) => holds(row[index] as number);
}

function isOfModel(texts: readonly string[]): Matcher {
  const models = texts.map((text) => parseModel(text, 'filters.aiOrgModel'));
  const [provider, model] = [at('aiProvider'), at('aiModel')];
  return (row) =>
    models.some(({ aiProvider, aiModel }) => row[provider] === aiProvider && row[model] === aiModel);
}
