import type { Model, QueryFilter } from 'mongoose';
import { invalidInput } from '../errors/index.ts';
import { boundedRead, orTooSlow } from './bounded-read.ts';
import { type Hint, newestFirst, type Order, type SortArgument } from './order.ts';

export type PageArguments = { currentPage: number; pageSize: number };
export type SortedPageArguments = PageArguments & { sort: SortArgument };

/** Items that a page may skip: the store walks over every one of them. */
export const maxSkipped = 10_000;

/** One page of a list and the count of the whole list, the shape behind every `...Page` type. */
export async function findPage<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  page: PageArguments,
  order: Order = newestFirst,
): Promise<{ total: number; data: T[] }> {
  requireShallow(page);
  const [total, data] = await Promise.all([
    countItems(model, filter, order),
    readPage(model, filter, page, order),
  ]);
  return { total, data };
}

/** The number of a list's items; the order's collation decides here too which texts are equal. */
export const countItems = <T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  { collation }: Order,
  hint: Hint = {},
): Promise<number> =>
  orTooSlow(
    model.countDocuments(filter, { ...boundedRead, ...hint, ...(collation && { collation }) }).exec(),
  );

export const readPage = <T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  { currentPage, pageSize }: PageArguments,
  { by, collation }: Order,
  hint: Hint = {},
): Promise<T[]> =>
  orTooSlow(
    model
      .find(filter, null, { ...boundedRead, ...hint, ...(collation && { collation }) })
      .sort(by)
      .skip(currentPage * pageSize)
      .limit(pageSize)
      .lean<T[]>()
      .exec(),
  );

/** Refuses pages far down a list; `instead` says what to do there. */
export function requireShallow(
  { currentPage, pageSize }: PageArguments,
  instead = 'narrow the list by filters',
): void {
  if (currentPage * pageSize <= maxSkipped) return;
  throw invalidInput(
    'currentPage',
    `Pages skip at most ${maxSkipped} items (currentPage times pageSize); to see more, ${instead}.`,
  );
}
