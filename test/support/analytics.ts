/** Every graph, summary and group, in one selection; a page of groups has all of them. */
export const everything = `
  requests { summary { total } dataPoints { timestamp total } }
  cost { summary { total avg } dataPoints { timestamp total avg } }
  latency { summary { avg p50 p90 p99 } dataPoints { timestamp avg p50 p90 p99 } }
  tokens { summary { total avg } dataPoints { timestamp total avg } }
  users { summary { total } dataPoints { timestamp total } }
  userRequests { summary { total unique avg } dataPoints { timestamp avg } }
  errors { summary { total } dataPoints { timestamp total } }
  errorRate { summary { rate } dataPoints { timestamp rate } }
  errorStacks { summary { total } dataPoints { timestamp stats { responseStatusCode count } } }
  statusCodes { summary { totalErrors uniqueErrorCodes } dataPoints { statusCode count } }
  rescuedRequests {
    summary { retry fallback }
    dataPoints { timestamp retry { retrySuccessCount count } fallback }
  }
  cacheHitRate {
    summary { total rate }
    dataPoints {
      timestamp simpleHits semanticHits rate cumulativeSimpleCacheSavings cumulativeSemanticCacheSavings
    }
  }
  cacheLatency { summary { avg } dataPoints { timestamp avg } }
  feedback { summary { total } dataPoints { timestamp total } }
  feedbackScores { summary { total } dataPoints { score total } }
  weightedFeedback { summary { avg } dataPoints { timestamp avg } }
  feedbackByModel { summary { total } dataPoints { aiModel total avgWeightedFeedback } }
  cacheSummary { summary { hits avgLatency totalRequests cacheSpeedup } }
  ${[
    'ai_service',
    'model',
    'status_code',
    'api_key',
    'config',
    'workspace',
    'provider',
    'prompt',
    'endpoint',
    'cache_status',
    'user',
  ]
    .map(
      (by) => `${by}: groups(by: ${by}, pageSize: 100) { total data {
        value requests cost totalTokens avgTokens avgInputTokens avgOutputTokens avgLatency p95Latency p99Latency
        successRate errorCount cacheHitRate firstSeen lastSeen
      } }`,
    )
    .join('\n')}
  userGroups(pageSize: 100) { total data { user requests cost } }
  team: metadataGroups(key: "team", pageSize: 100) { total data {
    metadataValue requests cost avgTokens avgWeightedFeedback requestsWithFeedback lastSeen
  } }
  metadataKeys
  drawn: groups(by: model, orderBy: cost, pageSize: 1) {
    data { value dataPoints(metric: cost) { timestamp value } }
    other { value requests dataPoints(metric: avg_latency) { value } }
  }
  named: metadataGroups(key: "_user", pageSize: 100) { total data { metadataValue requests cost } }
`;

export const analyticsQuery = (selection = everything): string => `
  query ($workspace: String, $min: DateTime!, $max: DateTime!, $filters: AnalyticsFilters, $logFilters: LogFilters, $zone: String! = "UTC") {
    analytics(
      workspaceSlug: $workspace, timeOfGenerationMin: $min, timeOfGenerationMax: $max, filters: $filters, logFilters: $logFilters,
      timeZone: $zone
    ) { ${selection} }
  }`;
