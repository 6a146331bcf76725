import type { LogRecord } from '../log/record.ts';
import type { Sum } from './tally.ts';

/** What requests are told apart by in roll-ups, in the order in which rows have it. */
export const requestDimensions = [
  /** Provider kind. */
  'aiProvider',
  'aiModel',
  'apiKeyId',
  'configSlug',
  'providerSlug',
  'prompt',
  'status',
  'endpoint',
  'cacheStatus',
] as const;

/** The length of rows that versions before `endpoint` and `cacheStatus` wrote. */
export const EARLY_DIMENSIONS = 7;

export type RequestDimension = (typeof requestDimensions)[number];

export type Dimension = string | number | null;

/** The members of a log by which requests are told apart. */
export type Sorted = Pick<LogRecord, 'apiKeyId' | 'responseStatusCode'> &
  Partial<
    Pick<
      LogRecord,
      'aiProvider' | 'aiModel' | 'configSlug' | 'providerSlug' | 'metadata' | 'endpoint' | 'cacheStatus'
    >
  >;

/** The prompt and the user of a request are what its metadata calls so. */
export const PROMPT_KEY = '_prompt';
export const USER_KEY = '_user';

/** The row of a request; what is absent in older logs is null. */
export const requestRow = (record: Sorted): Dimension[] => [
  record.aiProvider ?? null,
  record.aiModel ?? null,
  record.apiKeyId,
  record.configSlug ?? null,
  record.providerSlug ?? null,
  record.metadata?.[PROMPT_KEY] ?? null,
  record.responseStatusCode,
  record.endpoint ?? null,
  record.cacheStatus ?? 'DISABLED',
];

/**
 * Three views of the same requests, each in a document of its own so that no graph reads more than it shows: `requests`
 * by all that graphs filter and group by, `users` by metadata's `_user`, `metadata` by every other key and value.
 */
export const facets = ['requests', 'users', 'metadata'] as const;
export type Facet = (typeof facets)[number];

/** What the rows of users and of metadata add up: what their groups show. */
export const labelSums = ['requests', 'costNanodollars', 'totalTokens'] as const satisfies readonly Sum[];

/** The rows of one request in one facet: several where it has several metadata keys. */
export function rowsOf(facet: Facet, record: Sorted): Dimension[][] {
  if (facet === 'requests') return [requestRow(record)];
  const { metadata = {} } = record;
  if (facet === 'metadata') {
    return Object.entries(metadata).flatMap(([key, value]) => (key === USER_KEY ? [] : [[key, value]]));
  }
  const user = metadata[USER_KEY];
  return user === undefined ? [] : [[user]];
}

/**
 * The rows that a document keeps, so that it stays small enough to be written every second. Of requests beyond it only the
 * status is told apart; users beyond it, and values of a metadata key beyond it, are not kept. The document names what it
 * gave up, and the raw logs answer for that.
 */
export const mostRows: Record<Facet, number> = { requests: 5000, users: 20_000, metadata: 500 };

/** The part of a document that is given up together: a metadata key, or all of it. */
export const partOf = (facet: Facet, row: readonly Dimension[]): string =>
  facet === 'metadata' ? String(row[0]) : '';

/** Metadata keys of a document beyond which all of it is given up. */
export const MOST_KEYS = 50;
export const EVERY_KEY = '';
