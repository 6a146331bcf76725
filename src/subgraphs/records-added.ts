import type { Model, QueryFilter } from 'mongoose';
import { flatMap } from '../lib/channel.ts';
import type { Event, EventKind } from '../storage/events/index.ts';
import type { GraphContext } from './context.ts';

/** Records that are loaded at a time for one subscriber. */
const SLICE = 100;

export type Wanted<T> = {
  kind: EventKind;
  model: Model<T>;
  tenant: { organisationId: string; workspaceId?: string };
  filter: QueryFilter<T>;
  /** May leave out some of what matches the filter. */
  choose?: (records: T[]) => Promise<T[]>;
};

/** Whether an event is of the kind and the tenant. */
export const isOf =
  ({ kind, tenant: { organisationId, workspaceId } }: Pick<Wanted<never>, 'kind' | 'tenant'>) =>
  (event: Event): boolean =>
    event.kind === kind &&
    event.organisationId === organisationId &&
    (workspaceId === undefined || event.workspaceId === workspaceId);

/**
 * The records of a kind that come to be from now on and match `filter`, in the order in which they were written, as many
 * at a time as come together. Tenant and filter are applied by the store: an event only says where to look.
 */
export async function recordBatchesAdded<T extends { _id: string }>(
  { events }: GraphContext,
  wanted: Wanted<T>,
): Promise<AsyncIterableIterator<T[]>> {
  const matching = await events.subscribe(wanted.kind, isOf(wanted));
  const slices = flatMap(matching, async ({ ids }) => slicesOf(ids));
  return flatMap(slices, async (ids) => {
    const records = await recordsOf(wanted, ids);
    return records.length > 0 ? [records] : [];
  });
}

/** The same one by one. */
export async function recordsAdded<T extends { _id: string }>(
  context: GraphContext,
  wanted: Wanted<T>,
): Promise<AsyncIterableIterator<T>> {
  return flatMap(await recordBatchesAdded(context, wanted), async (records) => records);
}

/** Those of some records that are wanted, in the order of the ids. */
export async function recordsOf<T extends { _id: string }>(
  { model, tenant, filter, choose }: Wanted<T>,
  ids: readonly string[],
): Promise<T[]> {
  if (ids.length === 0) return [];
  const query = { $and: [tenant, filter, { _id: { $in: ids } }] } as QueryFilter<T>;
  const found = await model.find(query).lean<T[]>();
  const chosen = choose ? await choose(found) : found;
  const byId = new Map(chosen.map((record) => [record._id, record]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const slicesOf = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / SLICE) }, (_, at) => ids.slice(at * SLICE, (at + 1) * SLICE));
