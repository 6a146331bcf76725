import type { AnyBulkWriteOperation, Collection, Db, Document } from 'mongodb';
import type { CounterDocument, CounterStore, CounterUpdate, StoredLease } from './document.ts';
import { placeOfSample, type UsageSample } from './samples.ts';

/** A counter as the database has it. */
export type RawCounter = Omit<CounterDocument, 'L' | 'samples'> & {
  L?: Record<string, Omit<StoredLease, 't'> & { t: Date }>;
  samples?: Record<string, UsageSample>;
};

/**
 * Counters in the database. A grant must survive the loss of one machine, so a majority writes it and a majority's state is
 * read; the embedded store syncs before it answers.
 */
export function createCounterStore(db: () => Db): CounterStore {
  const counters = (): Collection<RawCounter> =>
    db().collection<RawCounter>('limit_counters', {
      writeConcern: { w: 'majority' },
      readConcern: { level: 'majority' },
    });
  return {
    async write(updates) {
      await counters().bulkWrite(updates.map(operationOf), { ordered: true });
    },
    async read(ids) {
      return (
        await counters()
          .find({ _id: { $in: [...ids] } })
          .toArray()
      ).map(counterOfDocument);
    },
  };
}

/** A counter as the engine knows it. */
export function counterOfDocument(raw: Document): CounterDocument {
  const { L = {}, samples = {}, ...counter } = raw as RawCounter;
  const leases = Object.entries(L).map(([key, lease]) => [key, { ...lease, t: lease.t.getTime() }]);
  return { ...counter, samples, L: Object.fromEntries(leases) };
}

/** In MongoDB's words, with plain operators: they cost a quarter of what expressions do. */
function operationOf(update: CounterUpdate): AnyBulkWriteOperation<RawCounter> {
  const { id: _id } = update;
  switch (update.kind) {
    case 'make': {
      const { _id: _own, ...counter } = update.counter;
      return {
        updateOne: {
          filter: { _id },
          update: { $setOnInsert: { ...counter, L: {}, samples: {} } },
          upsert: true,
        },
      };
    }
    case 'refill': {
      const { at, fill, amount, newAt, fullAt } = update;
      const filter = { _id, at, ...(fill !== undefined && { fill }) };
      const $set = { at: newAt, ...(fullAt !== undefined && { fullAt }) };
      return { updateOne: { filter, update: { $inc: { room: amount, fill: -amount }, $set } } };
    }
    case 'edit': {
      const { ver, cap, newVer, newCap, at, fullAt } = update;
      const filter = { _id, ver, cap, ...(at !== undefined && { at }) };
      const $set = { ver: newVer, cap: newCap, ...(fullAt !== undefined && { fullAt }) };
      return { updateOne: { filter, update: { $inc: { room: newCap - cap }, $set } } };
    }
    case 'sample': {
      const { sample } = update;
      const { gen } = sample;
      const { place, hourBegan } = placeOfSample(sample);
      const path = `samples.${place}`;
      // The first process to use it within an hour has the say.
      const isNew = [{ [`${path}.at`]: { $not: { $gte: hourBegan } } }, { [`${path}.gen`]: { $ne: gen } }];
      return { updateOne: { filter: { _id, gen, $or: isNew }, update: { $set: { [path]: sample } } } };
    }
    case 'lease':
      return { updateOne: leaseUpdate(update) };
  }
}

function leaseUpdate(update: CounterUpdate & { kind: 'lease' }): { filter: Document; update: Document } {
  const { id: _id, lease, after, becomes } = update;
  const field = (name: string) => `L.${lease}.${name}`;
  const filter: Document = { _id };
  if (after === null) filter[`L.${lease}`] = { $exists: false };
  else filter[field('s')] = after.length === 1 ? after[0] : { $in: after };
  if (update.roomAtLeast !== undefined) filter.room = { $gte: update.roomAtLeast };
  if (update.fullAtLeast !== undefined) filter.fullAt = { $gte: update.fullAtLeast };
  if (update.capIs !== undefined) filter.cap = update.capIs;
  if (update.grantIs !== undefined) filter[field('g')] = update.grantIs;
  const $inc: Document = { room: update.room, fill: update.fill };
  for (const tally of ['uncertain', 'overshoot', 'unpriced'] as const)
    if (update[tally]) $inc[tally] = update[tally];
  if (update.fullLater) $inc.fullAt = update.fullLater;
  const $set: Document = update.expiresAt ? { expiresAt: update.expiresAt } : {};
  if (becomes === null) {
    const some = Object.keys($set).length > 0 && { $set };
    return { filter, update: { $inc, ...some, $unset: { [`L.${lease}`]: '' } } };
  }
  const { add, ...values } = becomes;
  $inc[field('g')] = add;
  for (const [name, value] of Object.entries(values)) if (value !== undefined) $set[field(name)] = value;
  return { filter, update: { $inc, $set, $currentDate: { [field('t')]: true } } };
}
