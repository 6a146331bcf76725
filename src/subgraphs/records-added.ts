import type { Model, QueryFilter } from 'mongoose';
import { flatMap } from '../lib/channel.ts';
import type { EventKind } from '../storage/events/index.ts';
import type { GraphContext } from './context.ts';

/** Records that are loaded at a time for one subscriber. */
const SLICE = 100;

/**
 * The records of a kind that come to be from now on and match `filter`, in the order in which they were written. Tenant
 * and filter are applied by the store: an event only says where to look.
 */
export async function recordsAdded<T extends { _id: string }>(
  { events }: GraphContext,
  kind: EventKind,
  model: Model<T>,
  tenant: { organisationId: string; workspaceId?: string },
  filter: QueryFilter<T>,
): Promise<AsyncIterableIterator<T>> {
  const { organisationId, workspaceId } = tenant;
  const matching = await events.subscribe(
    kind,
    (event) =>
      event.organisationId === organisationId &&
      (workspaceId === undefined || event.workspaceId === workspaceId),
  );
  const slices = flatMap(matching, async ({ ids }) => slicesOf(ids));
  return flatMap(slices, async (ids) => {
    const query = { $and: [tenant, filter, { _id: { $in: ids } }] } as QueryFilter<T>;
    const found = await model.find(query).lean<T[]>();
    const byId = new Map(found.map((record) => [record._id, record]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  });
}

const slicesOf = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / SLICE) }, (_, at) => ids.slice(at * SLICE, (at + 1) * SLICE));
