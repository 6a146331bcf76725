import type { Model, QueryFilter, SortOrder } from 'mongoose';

export type PageArguments = { currentPage: number; pageSize: number };

/** One page of a list and the count of the whole list, the shape behind every `...Page` type. */
export async function findPage<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  page: PageArguments,
  sort: Record<string, SortOrder> = { createdAt: -1, _id: -1 },
): Promise<{ total: number; data: T[] }> {
  const [total, data] = await Promise.all([
    model.countDocuments(filter),
    model
      .find(filter)
      .sort(sort)
      .skip(page.currentPage * page.pageSize)
      .limit(page.pageSize)
      .lean<T[]>(),
  ]);
  return { total, data };
}
