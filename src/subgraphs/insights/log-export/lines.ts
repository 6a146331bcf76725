import type { Connection, QueryFilter } from 'mongoose';
import type { LogRecord } from '../../../recording/log/record.ts';
import { boundedRead } from '../../bounded-read.ts';
import type { LogExportField } from '../../types.generated.ts';
import { logModel, readPacks, shownRequest, shownResponse } from '../log/index.ts';
import { cents } from '../log-filters/index.ts';
import type { StoredFilters } from './model.ts';

type Messages = NonNullable<ReturnType<Awaited<ReturnType<typeof readPacks>>['get']>>[string];

/** Logs that are read at a time; those with headers and bodies are larger. */
const BATCH = 500;
const BATCH_WITH_BODIES = 100;

const values: Record<LogExportField, (record: LogRecord, messages: Messages | undefined) => unknown> = {
  id: ({ _id }) => _id,
  trace_id: ({ traceId }) => traceId,
  created_at: ({ createdAt }) => createdAt,
  request: (record, messages) => messages && shownRequest(record, messages.request),
  response: (record, messages) => messages && shownResponse(record, messages.response),
  is_success: ({ isSuccess }) => isSuccess,
  ai_org: ({ aiProvider }) => aiProvider,
  ai_model: ({ aiModel }) => aiModel,
  req_units: ({ promptTokens }) => promptTokens,
  res_units: ({ completionTokens }) => completionTokens,
  total_units: ({ totalTokens }) => totalTokens,
  request_url: ({ requestUrl }) => requestUrl,
  cost: ({ costNanodollars }) => cents(costNanodollars),
  cost_currency: () => 'USD',
  response_time: ({ responseTime }) => Math.round(responseTime),
  response_status_code: ({ responseStatusCode }) => responseStatusCode,
  mode: ({ mode }) => mode,
  config: ({ configSlug }) => configSlug,
  prompt_slug: ({ metadata }) => metadata._prompt,
  metadata: ({ metadata }) => metadata,
};

export type Selection = {
  owner: { organisationId: string; workspaceId: string };
  query: QueryFilter<LogRecord>;
  requestedData: readonly LogExportField[];
  page: Pick<StoredFilters, 'pageSize' | 'currentPage'>;
};

/** Logs as lines of JSON, a batch at a time, oldest first; what a log does not have is null. */
export async function* readLines(
  db: Connection,
  { owner, query, requestedData, page }: Selection,
): AsyncGenerator<string[]> {
  const hasBodies = requestedData.includes('request') || requestedData.includes('response');
  const batch = hasBodies ? BATCH_WITH_BODIES : BATCH;
  let skipped = page.currentPage * page.pageSize;
  let left = page.pageSize;
  let last: LogRecord | undefined;
  while (left > 0) {
    const limit = skipped > 0 ? Math.min(BATCH, skipped) : Math.min(batch, left);
    const records = await readBatch(db, query, last, limit);
    if (records.length === 0) return;
    last = records.at(-1);
    if (skipped > 0) {
      skipped -= records.length;
      yield [];
      continue;
    }
    left -= records.length;
    const packs = hasBodies ? await readPacks(db, owner, records) : null;
    yield records.map((record) => {
      const messages = packs?.get(record.bodiesId ?? '')?.[record._id];
      return lineOf(requestedData, record, messages);
    });
  }
}

const lineOf = (fields: readonly LogExportField[], record: LogRecord, messages: Messages | undefined) =>
  `${JSON.stringify(Object.fromEntries(fields.map((field) => [field, values[field](record, messages) ?? null])))}\n`;

/** The logs behind the last one; an index that ends in `createdAt, _id` begins at it. */
const readBatch = (
  db: Connection,
  query: QueryFilter<LogRecord>,
  last: LogRecord | undefined,
  limit: number,
): Promise<LogRecord[]> =>
  logModel(db)
    .find({ $and: [query, ...(last ? behind(last) : [])] } as QueryFilter<LogRecord>, null, boundedRead)
    .sort({ createdAt: 1, _id: 1 })
    .limit(limit)
    .lean<LogRecord[]>()
    .exec();

const behind = ({ createdAt, _id }: LogRecord): object[] => [
  { createdAt: { $gte: createdAt } },
  { $or: [{ createdAt: { $gt: createdAt } }, { _id: { $gt: _id } }] },
];
