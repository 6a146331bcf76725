import DataLoader from 'dataloader';
import type { Connection, Model, QueryFilter } from 'mongoose';
import type { Principal } from '../auth/index.ts';
import { type GraphContext, perRequest } from './context.ts';

/**
 * A per-request loader of documents by `_id`: one query for all the ids that one level of a graph query needs, narrowed
 * by `visible` to what the caller's credential reaches. Without a credential nothing is visible.
 */
export const loaderById = <T extends { _id: string }>(
  modelOf: (db: Connection) => Model<T>,
  visible: (principal: Principal) => QueryFilter<T>,
) =>
  perRequest(
    (context: GraphContext) =>
      new DataLoader<string, T | null>(async (ids) => {
        if (!context.principal) return ids.map(() => null);
        const filter = { $and: [{ _id: { $in: [...ids] } }, visible(context.principal)] } as QueryFilter<T>;
        const found = await modelOf(context.db).find(filter).lean<T[]>();
        const byId = new Map(found.map((document) => [document._id, document]));
        return ids.map((id) => byId.get(id) ?? null);
      }),
  );

/** What a record refers to, which is there unless it was deleted meanwhile; then the graph refuses the null as the field's. */
export const referred = <T>(found: T | null | undefined): T => found as T;
