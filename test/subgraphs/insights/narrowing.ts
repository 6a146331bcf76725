import type { LogRecord } from '../../../src/recording/log/record.ts';

/** A log that differs from a plain one in all that lists can be filtered by. */
export const oddRecord: Partial<LogRecord> = {
  endpoint: 'embed',
  cacheStatus: 'SEMANTIC HIT',
  responseStatusCode: 503,
  responseTime: 999.6,
  userId: 'user-1',
  source: 'curl/8',
  streamMode: 1,
  aiModel: 'odd__model',
  configSlug: 'pc-odd',
  providerSlug: 'odd',
  apiKeyId: 'key-odd',
  metadata: { team: 'odd' },
};

/** A plain log but for its time. */
export const evenRecord: Partial<LogRecord> = { responseTime: 12 };

/** Filters that leave the odd log alone of the two. */
export const narrowing: [string, object][] = [
  ['endpoint', { endpoint: ['embed'] }],
  ['cache status', { cacheStatus: ['SEMANTIC HIT', 'HIT'] }],
  ['class of status', { statusClass: [5] }],
  ['errors', { hasError: true }],
  ['the shortest time, as it is shown', { responseTimeMin: 1000 }],
  ['user', { userId: ['user-1'] }],
  ['source', { source: ['curl/8'] }],
  ['streams', { stream: true }],
  ['what has not this status', { notStatusCode: [200] }],
  ['what has not this model', { notAiOrgModel: ['openai__gpt-4o', 'openai__other'] }],
  ['what has not this provider', { notVirtualKeys: ['@main'] }],
  ['what has not this key', { notApiKeyIds: ['key-1'] }],
  ['what has not this endpoint', { notEndpoint: ['chatComplete'] }],
  ['what has not this cache status', { notCacheStatus: ['DISABLED'] }],
  ['what has not this metadata', { metadata: { team: 'odd' }, notMetadata: { _user: 'ann' } }],
  ['both sides', { statusClass: [4, 5], notStatusCode: [500] }],
];

/** Filters that leave the plain log alone of the two. */
export const opposite: [string, object][] = [
  ['success', { hasError: false }],
  ['the longest time, as it is shown', { responseTimeMax: 12 }],
  ['whole answers', { stream: false }],
  ['what has not this config', { notConfigs: ['pc-odd'] }],
  ['what has not this user', { notUserId: ['user-1'] }],
  ['what has not this source', { notSource: ['curl/8'] }],
  ['what has none of this metadata', { notMetadata: { team: 'odd', other: 'x' } }],
];
