import type { Model, QueryFilter } from 'mongoose';
import { invalidInput } from '../errors/index.ts';
import { boundedRead, orTooSlow } from './bounded-read.ts';
import type { Hint } from './order.ts';

export type CursorArguments = {
  limit: number;
  order: 'asc' | 'desc';
  after?: string | null;
  before?: string | null;
};

/** Where an item stood that is no longer there: whoever deletes what they walk along still gets on. */
export type FormerPlace = (id: string) => Promise<{ _id: string; createdAt: Date } | null>;

export type CursorPage<T> = { data: T[]; firstId: string | null; lastId: string | null; hasMore: boolean };

type Item = { _id: string; createdAt: Date };
type Position = Item | null;

/** How far a page lies from its list's ends: what is beyond `from` and `until` need not be looked at. */
export type PageWalk = { direction: 1 | -1; limit: number; from: Date | null; until: Date | null };
/** Reads the first items of a walk. */
export type ReadPageWalk<T> = (query: QueryFilter<T>, walk: PageWalk) => Promise<T[]>;

/**
 * A page of a list that is walked along instead of counted: by `createdAt`, then by id, from the item `after`, or back
 * from the item `before`. `visible` is what the caller's credential reaches, cursors included; `filter` is the rest of
 * the question. To be fast at any depth it needs an index that ends in `createdAt, _id`; `read` may know a faster way, and
 * `formerPlace` where a cursor stood whose item was deleted.
 */
export async function findCursorPage<T extends Item>(
  model: Model<T>,
  visible: QueryFilter<T>,
  filter: QueryFilter<T>,
  { limit, order, after, before, formerPlace }: CursorArguments & { formerPlace?: FormerPlace },
  read: ReadPageWalk<T> = (query, walk) => readWalk(model, query, walk),
): Promise<CursorPage<T>> {
  const [start, end] = await Promise.all([
    positionOf(model, visible, after, formerPlace).catch(naming('after')),
    positionOf(model, visible, before, formerPlace).catch(naming('before')),
  ]);
  const backwards = end !== null && start === null;
  const ascending = (order === 'asc') !== backwards;
  const direction = ascending ? 1 : -1;
  const bounds = [
    ...beyond(start, order === 'asc' ? '$gt' : '$lt'),
    ...beyond(end, order === 'asc' ? '$lt' : '$gt'),
  ];
  const [oldest, newest] = order === 'asc' ? [start, end] : [end, start];
  const found = await read({ $and: [...bounds, visible, filter] } as QueryFilter<T>, {
    direction,
    limit: limit + 1,
    from: oldest?.createdAt ?? null,
    until: newest?.createdAt ?? null,
  });
  const hasMore = found.length > limit;
  const walked = hasMore ? found.slice(0, limit) : found;
  const data = backwards ? walked.reverse() : walked;
  return { data, firstId: data[0]?._id ?? null, lastId: data.at(-1)?._id ?? null, hasMore };
}

/** Reads a walk at once. `maxTimeMS`: the store gives up after it. */
export const readWalk = <T>(
  model: Model<T>,
  query: QueryFilter<T>,
  { direction, limit }: Pick<PageWalk, 'direction' | 'limit'>,
  options: { maxTimeMS: number } & Hint = boundedRead,
): Promise<T[]> =>
  orTooSlow(
    model
      .find(query, null, options)
      .sort({ createdAt: direction, _id: direction })
      .limit(limit)
      .lean<T[]>()
      .exec(),
  );

async function positionOf<T extends Item>(
  model: Model<T>,
  visible: QueryFilter<T>,
  id: string | null | undefined,
  formerPlace: FormerPlace | undefined,
): Promise<Position> {
  if (id === null || id === undefined) return null;
  const found = await model
    .findOne({ $and: [{ _id: id }, visible] } as QueryFilter<T>, { createdAt: 1 })
    .lean<Item>()
    .exec();
  const known = found ?? (await formerPlace?.(id)) ?? null;
  if (known) return known;
  throw new NoSuchItem();
}

/** A cursor that names nothing in its list. */
class NoSuchItem extends Error {}

const naming =
  (param: 'after' | 'before') =>
  (error: unknown): never => {
    throw error instanceof NoSuchItem ? invalidInput(param, `${param} names no item of this list.`) : error;
  };

/** The first condition alone says nothing new; it is the one that lets an index begin at the position. */
function beyond(position: Position, side: '$gt' | '$lt'): object[] {
  if (!position) return [];
  const { _id, createdAt } = position;
  return [
    { createdAt: { [`${side}e`]: createdAt } },
    { $or: [{ createdAt: { [side]: createdAt } }, { _id: { [side]: _id } }] },
  ];
}
