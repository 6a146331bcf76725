import type { QueryFilter } from 'mongoose';
import { invalidInput } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import { between } from '../../filters.ts';
import type { LogFilters } from '../../types.generated.ts';
import { nanodollars } from './money.ts';

/** The query that a caller's filters stand for; the workspace and the tenant are the service's to add. */
export function logQuery(filters: LogFilters): QueryFilter<LogRecord> {
  const oneOf = (values: readonly unknown[] | null | undefined) => values && { $in: values };
  const members = {
    createdAt: between(filters.timeOfGenerationMin, filters.timeOfGenerationMax),
    totalTokens: between(filters.totalUnitsMin, filters.totalUnitsMax),
    promptTokens: between(filters.promptTokenMin, filters.promptTokenMax),
    completionTokens: between(filters.completionTokenMin, filters.completionTokenMax),
    costNanodollars: between(nanodollars(filters.costMin), nanodollars(filters.costMax)),
    responseStatusCode: oneOf(filters.statusCode),
    traceId: filters.traceId,
    // The tries of a config with several targets are children of the span that the caller knows.
    $and:
      filters.spanId == null
        ? null
        : [{ $or: [{ spanId: filters.spanId }, { parentSpanId: filters.spanId }] }],
    $or: filters.aiOrgModel && modelsQuery(filters.aiOrgModel),
    configSlug: oneOf(filters.configs),
    providerSlug: oneOf(filters.virtualKeys?.map((slug) => slug.replace(/^@/, ''))),
    apiKeyId: oneOf(filters.apiKeyIds),
    ...metadataQuery(filters.metadata),
    ...(filters.promptSlug != null && { 'metadata._prompt': filters.promptSlug }),
  };
  return Object.fromEntries(Object.entries(members).filter(([, condition]) => condition != null));
}

/** An empty `$or` is no query to the database; like every other empty list, it is met by no log. */
const modelsQuery = (models: readonly string[]): QueryFilter<LogRecord>[] =>
  models.length > 0 ? models.map(parseModel) : [{ _id: { $in: [] } }];

/** `openai__gpt-4o`: provider kind and model. */
export function parseModel(text: string): { aiProvider: string; aiModel: string } {
  const split = text.indexOf('__');
  if (split <= 0 || split + 2 === text.length) {
    throw invalidInput('filters.aiOrgModel', 'ai_org_model has the form <provider>__<model>.');
  }
  return { aiProvider: text.slice(0, split), aiModel: text.slice(split + 2) };
}

function metadataQuery(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  const param = 'filters.metadata';
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidInput(param, 'metadata must be an object.');
  const entries = Object.entries(value);
  if (entries.length > 20) throw invalidInput(param, 'At most 20 metadata keys can be asked for.');
  return Object.fromEntries(
    entries.map(([key, text]) => {
      // A dot or dollar would mean a path or an operator in a query.
      if (!/^[^.$]{1,128}$/.test(key))
        throw invalidInput(`${param}.${key}`, 'This metadata key cannot be asked for.');
      if (typeof text !== 'string' || text.length > 128) {
        throw invalidInput(`${param}.${key}`, 'Metadata values are strings of at most 128 characters.');
      }
      return [`metadata.${key}`, text];
    }),
  );
}
