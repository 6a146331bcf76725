import { invalidInput } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import type { EventPlace } from '../../../storage/events/index.ts';
import type { GraphContext } from '../../context.ts';
import { isOf, recordBatchesAdded, recordsAdded, recordsOf, type Wanted } from '../../records-added.ts';
import type { LogFilters, QueryLogArrivalsArgs } from '../../types.generated.ts';
import { logModel } from './model.ts';
import { unsearched } from './question.ts';
import { idsWithText } from './search.ts';

type Filters = LogFilters | null | undefined;

/** The logs that are written from now on, of those that the filters let through. */
export const logsAddedSingly = async (context: GraphContext, filters: Filters) =>
  recordsAdded(context, await wantedOf(context, filters));

type LogBatch = { data: LogRecord[]; skipped: number };

const SECOND = 1000;

/** The same, some at a time. In any second those beyond the limit are only counted. */
export async function logsAdded(
  context: GraphContext,
  { filters, maxPerSecond }: { filters?: Filters; maxPerSecond: number },
): Promise<AsyncIterableIterator<LogBatch>> {
  const batches = await recordBatchesAdded(context, await wantedOf(context, filters));
  let second = 0;
  let shown = 0;
  return mapped(batches, (records) => {
    const now = context.now().getTime();
    if (now - second >= SECOND) {
      second = now;
      shown = 0;
    }
    const data = records.slice(0, maxPerSecond - shown);
    shown += data.length;
    return { data, skipped: records.length - data.length };
  });
}

type LogArrivals = { data: LogRecord[]; cursor: string; hasMore: boolean };

/** The logs that became visible after a place, in that order: a request that took long is behind those that began later. */
export async function logArrivals(
  context: GraphContext,
  { filters, after, limit }: Pick<QueryLogArrivalsArgs, 'filters' | 'after'> & { limit: number },
): Promise<LogArrivals> {
  const wanted = await wantedOf(context, filters);
  if (after == null) return { data: [], cursor: textOf(await context.events.newest()), hasMore: false };
  const { ids, end, hasMore } = await context.events.after(arrivalOf(after), { wants: isOf(wanted), limit });
  return { data: await recordsOf(wanted, ids), cursor: textOf(end), hasMore };
}

const textOf = ({ number, taken }: EventPlace): string => `${number}-${taken}`;

function arrivalOf(text: string): EventPlace {
  const [, number, taken] = /^(\d{1,15})-(\d{1,9})$/.exec(text) ?? [];
  if (number === undefined) throw invalidInput('after', 'after must be a cursor that logArrivals gave.');
  return { number: Number(number), taken: Number(taken) };
}

/** What filters stand for, a search included, of which each log is taken as it comes. */
export async function wantedOf(context: GraphContext, filters: Filters): Promise<Wanted<LogRecord>> {
  const { owner, query, filters: given } = await unsearched(context, filters);
  const { search } = given;
  const wanted = { kind: 'log', model: logModel(context.db), tenant: owner, filter: query } as const;
  if (search == null) return wanted;
  return {
    ...wanted,
    async choose(records) {
      const found = await idsWithText(context, records, search);
      return records.filter(({ _id }) => found.has(_id));
    },
  };
}

function mapped<T, R>(source: AsyncIterableIterator<T>, make: (value: T) => R): AsyncIterableIterator<R> {
  const results: AsyncIterableIterator<R> = {
    async next() {
      const { value, done } = await source.next();
      return done ? { value: undefined, done } : { value: make(value), done: false };
    },
    async return() {
      await source.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}
