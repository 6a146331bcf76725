const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export type PageQuery = { name: string; query: string; variables: object; budgetMs: number };

const row = `id createdAt responseStatusCode aiModel providerSlug apiKeyId endpoint responseTime timeToFirstToken
  promptTokens completionTokens cost cacheStatus retryAttemptCount metadata`;

const figures = `requests { summary { total } dataPoints { timestamp total } }
  cost { summary { total } dataPoints { timestamp total } }
  latency { summary { p50 p99 } dataPoints { timestamp p50 p99 } }
  errorRate { summary { rate } dataPoints { timestamp rate } }
  rescuedRequests { summary { retry fallback } }
  cacheHitRate { summary { rate } }`;

const table = 'total data { value requests cost totalTokens p95Latency successRate cacheHitRate }';

const home = `query ($before: DateTime!, $min: DateTime!, $max: DateTime!) {
  now: analytics(timeOfGenerationMin: $min, timeOfGenerationMax: $max) { ${figures}
    models: groups(by: model, orderBy: cost, pageSize: 5) { data { value cost } }
    keys: groups(by: api_key, orderBy: cost, pageSize: 5) { data { value cost } }
    providers: groups(by: provider, pageSize: 5) { data { value successRate dataPoints(metric: errors) { value } } }
  }
  before: analytics(timeOfGenerationMin: $before, timeOfGenerationMax: $min) { ${figures} }
  failures: logHistory(filters: { hasError: true }, limit: 5) { data { ${row} } }
  auditLogs(startTime: $min, endTime: $max, pageSize: 5) { records { action timestamp } }
  apiKeys(pageSize: 5) { data { id name } }
}`;

const logs = `query ($filters: LogFilters, $min: DateTime!, $max: DateTime!, $after: ID) {
  logHistory(filters: $filters, limit: 100, after: $after) { data { ${row} } lastId hasMore }
  analytics(timeOfGenerationMin: $min, timeOfGenerationMax: $max, logFilters: $filters) {
    requests { summary { total } dataPoints { timestamp total } }
    errors { summary { total } dataPoints { timestamp total } }
    cost { summary { total } }
  }
}`;

const list = `query ($filters: LogFilters, $sort: LogSort!) {
  logs(filters: $filters, sort: $sort, pageSize: 50) { total data { ${row} } }
}`;

const detail = `query ($id: ID!) {
  log(id: $id) { ${row} costLines { class units price amount source } routing { target action reason value }
    tokenClasses savings request { headers body } response { headers body } feedback { value } }
}`;

const spend = `query ($min: DateTime!, $max: DateTime!, $zone: String!) {
  analytics(timeOfGenerationMin: $min, timeOfGenerationMax: $max, timeZone: $zone) {
    cost { summary { total } dataPoints { timestamp total } }
    groups(by: model, orderBy: cost, pageSize: 5) {
      total data { value requests cost totalTokens p95Latency successRate cacheHitRate dataPoints(metric: cost) { timestamp value } }
      other { requests cost dataPoints(metric: cost) { value } }
    }
    keys: groups(by: api_key, orderBy: cost) { ${table} }
    metadataKeys
  }
}`;

/** The one query of each page, and the milliseconds that it may take. `id`: of a log far down. */
export function pages({ now, days, id }: { now: Date; days: number; id: string }): PageQuery[] {
  const ago = (time: number) => new Date(now.getTime() - time);
  const range = { min: ago(days * DAY), max: now };
  const byTime = { field: 'createdAt', direction: 'desc' };
  const rare = { apiKeyIds: ['00000000-0000-7000-8000-000000000019'], statusCode: [500] };
  return [
    {
      name: 'Home, 24 hours',
      query: home,
      variables: { before: ago(2 * DAY), min: ago(DAY), max: now },
      budgetMs: 500,
    },
    { name: 'Logs, first rows with histogram', query: logs, variables: range, budgetMs: 1000 },
    {
      name: 'Logs, the 500th page',
      query: logs,
      variables: { ...range, min: ago(HOUR), after: id },
      budgetMs: 300,
    },
    {
      name: 'Logs, by key and status',
      query: logs,
      variables: { ...range, min: ago(DAY), filters: rare },
      budgetMs: 300,
    },
    {
      name: 'Logs, counted by status',
      query: list,
      variables: { filters: { statusCode: [400] }, sort: byTime },
      budgetMs: 300,
    },
    {
      name: 'Logs, counted by metadata',
      query: list,
      variables: { filters: { metadata: { team: 'team-39' } }, sort: byTime },
      budgetMs: 300,
    },
    {
      name: 'Logs, the dearest',
      query: list,
      variables: { sort: { field: 'cost', direction: 'desc' } },
      budgetMs: 300,
    },
    {
      name: 'Logs, values of a field',
      query: '{ logFacets(field: model, filters: { hasError: true }) { data { value count } } }',
      variables: {},
      budgetMs: 300,
    },
    { name: 'Detail', query: detail, variables: { id }, budgetMs: 300 },
    {
      name: 'Spend, 400 days',
      query: spend,
      variables: { ...range, min: ago(400 * DAY), zone: 'Europe/Berlin' },
      budgetMs: 1500,
    },
    {
      name: 'Spend, the month in a zone of half hours',
      query: spend,
      variables: { ...range, zone: 'Asia/Kolkata' },
      budgetMs: 1500,
    },
  ];
}
