import type { QueryFilter } from 'mongoose';
import type { LogRecord } from '../../../recording/log/record.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { type ReadPageWalk, readWalk } from '../../cursor-page.ts';
import { between } from '../../filters.ts';
import type { Hint, Order } from '../../order.ts';
import { countItems, type PageArguments, readPage } from '../../page.ts';
import type { LogFilters } from '../../types.generated.ts';
import {
  countNarrowed,
  nanodollars,
  readNarrowed,
  type TimeQuestion,
  timesOf,
  viewOf,
} from '../log-filters/index.ts';
import { byCost, logModel } from './model.ts';

type Query = QueryFilter<LogRecord>;

/** A list of logs that is yet to be read. */
export type LogQuestion = {
  owner: { organisationId: string; workspaceId?: string };
  filters: LogFilters;
  /** What owner and filters stand for. */
  query: Query;
};

/** Logs that are looked at one by one without a thought: some tenths of a second. */
const FEW = 20_000;

/** How a list is read: by an index that the store would not choose, or within the times that roll-ups name, or neither. */
type Way = Hint & { times?: Omit<TimeQuestion, 'direction'> };

async function wayTo({ db }: GraphContext, { owner, filters }: LogQuestion): Promise<Way> {
  // An id is met by few.
  if (filters.traceId != null || filters.search != null) return {};
  const view = viewOf(filters);
  const cost = between(nanodollars(filters.costMin), nanodollars(filters.costMax));
  if (!view && !cost) return {};
  const model = logModel(db);
  if ((await model.estimatedDocumentCount(boundedRead)) <= FEW) return {};
  if (cost) {
    const { organisationId } = owner;
    const costing = await orTooSlow(
      model
        .countDocuments({ organisationId, costNanodollars: cost }, { ...boundedRead, hint: byCost })
        .exec(),
    );
    if (costing <= FEW) return { hint: byCost };
  }
  if (!view) return {};
  const from = filters.timeOfGenerationMin?.getTime() ?? 0;
  const end = filters.timeOfGenerationMax ? filters.timeOfGenerationMax.getTime() + 1 : Infinity;
  return { times: { view, owner, from, end } };
}

/** Those of the cheapest or dearest logs come first for which there is an index, where there are too many to sort. */
async function wayByCost({ db }: GraphContext, { owner, filters }: LogQuestion): Promise<Way> {
  const createdAt = between(filters.timeOfGenerationMin, filters.timeOfGenerationMax);
  const within = { ...owner, ...(createdAt && { createdAt }) };
  const count = await orTooSlow(logModel(db).countDocuments(within, boundedRead).exec());
  return count > FEW ? { hint: byCost } : {};
}

const within = (query: Query, { from, end }: { from: number; end: number }): Query => ({
  $and: [query, { createdAt: { $gte: new Date(from), ...(end < Infinity && { $lt: new Date(end) }) } }],
});

export async function countQuestion(
  context: GraphContext,
  question: LogQuestion,
  order: Order,
): Promise<number> {
  const { times, ...hint } = await wayTo(context, question);
  const model = logModel(context.db);
  if (!times) return countItems(model, question.query, order, hint);
  return countNarrowed(timesOf(nativeDb(context.db), { ...times, direction: -1 }), (time, { maxTimeMS }) =>
    orTooSlow(model.countDocuments(within(question.query, time), { maxTimeMS }).exec()),
  );
}

export async function readQuestion(
  context: GraphContext,
  question: LogQuestion,
  page: PageArguments,
  order: Order,
): Promise<LogRecord[]> {
  const model = logModel(context.db);
  const direction = order.by.createdAt;
  if (direction === undefined) {
    const hint = order.by.costNanodollars ? await wayByCost(context, question) : {};
    return readPage(model, question.query, page, order, hint);
  }
  const { times, ...hint } = await wayTo(context, question);
  if (!times) return readPage(model, question.query, page, order, hint);
  const skipped = page.currentPage * page.pageSize;
  const found = await readNarrowed(
    timesOf(nativeDb(context.db), { ...times, direction }),
    skipped + page.pageSize,
    (time, { limit, maxTimeMS }) =>
      readWalk(model, within(question.query, time), { direction, limit }, { maxTimeMS }),
  );
  return found.slice(skipped);
}

/** The same for a list that is walked along. */
export const walkQuestion =
  (context: GraphContext, question: LogQuestion): ReadPageWalk<LogRecord> =>
  async (query, walk) => {
    const model = logModel(context.db);
    const { times, ...hint } = await wayTo(context, question);
    if (!times) return readWalk(model, query, walk, { ...boundedRead, ...hint });
    const { direction, limit } = walk;
    const from = Math.max(times.from, walk.from?.getTime() ?? 0);
    const end = Math.min(times.end, walk.until ? walk.until.getTime() + 1 : Infinity);
    return readNarrowed(
      timesOf(nativeDb(context.db), { ...times, from, end, direction }),
      limit,
      (time, options) => readWalk(model, within(query, time), { direction, limit: options.limit }, options),
    );
  };
