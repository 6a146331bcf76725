import type { QueryFilter } from 'mongoose';
import { invalidInput } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import { PROMPT_KEY } from '../../../recording/rollups/facets.ts';
import { between } from '../../filters.ts';
import type { LogFilters } from '../../types.generated.ts';
import { metadataConditions } from './metadata.ts';
import { nanodollars } from './money.ts';

type Query = QueryFilter<LogRecord>;
type List = readonly unknown[] | null | undefined;

/** The query that a caller's filters stand for; the workspace and the tenant are the service's to add. Errors name `place`. */
export function logQuery(filters: LogFilters, place = 'filters'): Query {
  const members = {
    createdAt: between(filters.timeOfGenerationMin, filters.timeOfGenerationMax),
    totalTokens: between(filters.totalUnitsMin, filters.totalUnitsMax),
    promptTokens: between(filters.promptTokenMin, filters.promptTokenMax),
    completionTokens: between(filters.completionTokenMin, filters.completionTokenMax),
    costNanodollars: between(nanodollars(filters.costMin), nanodollars(filters.costMax)),
    responseTime: responseTimes(filters),
    responseStatusCode: oneOf(filters.statusCode, filters.notStatusCode),
    isSuccess: onlyErrors(filters) ? false : filters.hasError === false ? true : null,
    traceId: filters.traceId,
    configSlug: oneOf(filters.configs, filters.notConfigs),
    providerSlug: oneOf(filters.virtualKeys?.map(bareSlug), filters.notVirtualKeys?.map(bareSlug)),
    apiKeyId: oneOf(filters.apiKeyIds, filters.notApiKeyIds),
    endpoint: oneOf(filters.endpoint, filters.notEndpoint),
    cacheStatus: oneOf(filters.cacheStatus, filters.notCacheStatus),
    userId: oneOf(filters.userId, filters.notUserId),
    source: oneOf(filters.source, filters.notSource),
    streamMode: filters.stream == null ? null : Number(filters.stream),
    ...(filters.promptSlug != null && { [`metadata.${PROMPT_KEY}`]: filters.promptSlug }),
  };
  const query = Object.fromEntries(Object.entries(members).filter(([, condition]) => condition != null));
  const further = furtherConditions(filters, place);
  return further.length > 0 ? { ...query, $and: further } : query;
}

function furtherConditions(filters: LogFilters, place: string): Query[] {
  const { spanId, statusClass, aiOrgModel, notAiOrgModel } = filters;
  return [
    // The tries of a config with several targets are children of the span that the caller knows.
    ...(spanId == null ? [] : [{ $or: [{ spanId }, { parentSpanId: spanId }] }]),
    ...(statusClass == null ? [] : [anyOf(statusClass.map(statusesOf))]),
    ...(aiOrgModel == null
      ? []
      : [anyOf(aiOrgModel.map((model) => parseModel(model, `${place}.aiOrgModel`)))]),
    ...(notAiOrgModel ?? []).map((model) => ({ $nor: [parseModel(model, `${place}.notAiOrgModel`)] })),
    ...metadataConditions(filters.metadata, `${place}.metadata`),
    ...metadataConditions(filters.notMetadata, `${place}.notMetadata`).map((condition) => ({
      $nor: [condition],
    })),
  ];
}

/** An empty `$or` is no query to the database; like every other empty list, it is met by no log. */
const anyOf = (clauses: Query[]): Query => (clauses.length > 0 ? { $or: clauses } : { _id: { $in: [] } });

export const bareSlug = (slug: string): string => slug.replace(/^@/, '');

function oneOf(wanted: List, unwanted: List) {
  if (wanted == null && unwanted == null) return null;
  return { ...(wanted != null && { $in: wanted }), ...(unwanted != null && { $nin: unwanted }) };
}

const statusesOf = (digit: number): Query => ({
  responseStatusCode: { $gte: digit * 100, $lt: (digit + 1) * 100 },
});

/** Stored times are no whole numbers, shown ones are. */
function responseTimes({ responseTimeMin: min, responseTimeMax: max }: LogFilters) {
  if (min == null && max == null) return null;
  return { ...(min != null && { $gte: min - 0.5 }), ...(max != null && { $lt: max + 0.5 }) };
}

/** Whether only answers other than 2xx are let through: those have an index of their own. */
function onlyErrors({ hasError, statusCode, statusClass }: LogFilters): boolean {
  if (hasError != null) return hasError;
  const areErrors = (codes: readonly number[] | null | undefined, isError: (code: number) => boolean) =>
    codes != null && codes.length > 0 && codes.every(isError);
  return (
    areErrors(statusCode, (code) => code < 200 || code > 299) ||
    areErrors(statusClass, (digit) => digit !== 2)
  );
}

/** `openai__gpt-4o`: provider kind and model. */
export function parseModel(text: string, param: string): { aiProvider: string; aiModel: string } {
  const split = text.indexOf('__');
  if (split <= 0 || split + 2 === text.length) {
    throw invalidInput(param, `${text} has not the form <provider>__<model>.`);
  }
  return { aiProvider: text.slice(0, split), aiModel: text.slice(split + 2) };
}
