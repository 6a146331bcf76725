import type { Collection, Db, Document, Filter } from 'mongodb';
import type { Limit } from '../limit.ts';
import { type CounterDocument, SILENCE_MS } from './document.ts';
import { counterOfDocument, type RawCounter } from './store.ts';
import { windowAt } from './window.ts';

const counters = (db: Db): Collection<RawCounter> =>
  db.collection<RawCounter>('limit_counters', {
    writeConcern: { w: 'majority' },
    readConcern: { level: 'majority' },
  });

/**
 * Brings all counters of a limit to its new amount. Call it after the limit was saved and before the change is published; it
 * binds in the store when it resolves, and in every process within a second. A counter that it misses, since it was made at
 * this moment, is brought up by whoever reads it.
 */
export async function editCounters(db: Db, before: Limit, after: Limit): Promise<void> {
  const { id: limitId, organisationId, window } = after;
  const filter: Filter<RawCounter> = {
    organisationId,
    limitId,
    ver: before.version,
    cap: before.amount,
    ...currentOnly(window, Date.now()),
  };
  const more = after.amount - before.amount;
  const seconds = window.kind === 'bucket' ? window.seconds : null;
  const $set = { cap: after.amount, ver: after.version, seconds };
  if (window.kind !== 'bucket' || after.amount === 0) {
    await counters(db).updateMany(filter, { $inc: { room: more }, $set });
    return;
  }
  const unitMs = (window.seconds * 1000) / after.amount;
  const fullAt = { $add: ['$at', { $multiply: ['$fill', unitMs] }] };
  await counters(db).updateMany(filter, [{ $set: { ...$set, room: { $add: ['$room', more] }, fullAt } }]);
}

/** Windows that are over keep the amount that they had. A minute more, since clocks differ. */
const currentOnly = (window: Limit['window'], now: number): Filter<RawCounter> =>
  windowAt(window, now).until === null ? { until: null } : { until: { $gt: now - 60_000 } };

/** What a change of a counter has done, for the audit trail. Amounts are in the unit of the limit. */
export type CounterChange = { before: number; after: number };

/** Tries at a change that other processes' reports get in the way of. */
const TRIES = 50;

/**
 * Sets what was used of a counter to nothing; calls under way count after it. Null where there is no such counter.
 * `organisationId`: whose it must be.
 */
export async function resetCounter(
  db: Db,
  organisationId: string,
  id: string,
): Promise<CounterChange | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await counters(db).findOne({ _id: id, organisationId });
    if (!found) return null;
    const { fill, gen, at, seconds } = found;
    const { modifiedCount } = await counters(db).updateOne(
      { _id: id, organisationId, fill, gen, at },
      { $inc: { room: fill, fill: -fill, gen: 1 }, ...(seconds !== null && { $set: { fullAt: at } }) },
    );
    if (modifiedCount === 1) return { before: fill, after: 0 };
  }
  throw new Error('A counter changed too often to be reset.');
}

/**
 * Gives back what processes hold of a counter that have been silent for 30 seconds: use that they have not reported is
 * then counted by nobody, so that the limit may be passed by it. Answers what came back; null where there is no such counter.
 */
export async function returnAbandoned(db: Db, organisationId: string, id: string): Promise<number | null> {
  const found = await counters(db).findOne({ _id: id, organisationId });
  if (!found) return null;
  const counter = counterOfDocument(found);
  let returned = 0;
  for (const [key, { s, g, u }] of abandonedOf(counter, Date.now())) {
    const { modifiedCount } = await counters(db).updateOne(
      { _id: id, organisationId, [`L.${key}.s`]: s },
      { $inc: { room: g - u }, $unset: { [`L.${key}`]: '' } },
    );
    if (modifiedCount === 1) returned += g - u;
  }
  return returned;
}

const abandonedOf = ({ L }: CounterDocument, now: number) =>
  Object.entries(L).filter(([, { t }]) => t < now - SILENCE_MS);

/** A counter as the administration shows it. `used`, `held` and `leases` are at most about a second old. */
export type CounterReport = CounterDocument & {
  used: number;
  held: number;
  /** Held by processes of which nothing was heard for 30 seconds. */
  abandoned: number;
  remaining: number;
};

export type CounterPage = {
  /** In the order of their value keys; values after this one. */
  after?: string;
  /** Value keys that begin so. */
  search?: string;
  /** Value keys that are one of these. */
  valueKeys?: readonly string[];
  first: number;
  /** A time of the window to show, in milliseconds since the epoch; now unless it says so. */
  at?: number;
};

/** Counters of a limit within one window. */
export async function countersOfLimit(db: Db, limit: Limit, page: CounterPage): Promise<CounterReport[]> {
  const { after, search, valueKeys, first, at } = page;
  const now = Date.now();
  const { from } = windowAt(limit.window, at ?? now);
  const bounds: Document = {};
  if (after !== undefined) bounds.$gt = after;
  if (search) {
    if (after === undefined || after < search) bounds.$gte = search;
    bounds.$lt = `${search}\u{10ffff}`;
  }
  if (valueKeys) bounds.$in = [...valueKeys];
  const found = await counters(db)
    .find({
      organisationId: limit.organisationId,
      limitId: limit.id,
      from,
      ...(Object.keys(bounds).length > 0 && { valueKey: bounds }),
    })
    .sort({ valueKey: 1 })
    .limit(first)
    .toArray();
  return found.map((raw) => reportOf(counterOfDocument(raw), now));
}

/** One counter by its id; null where the organisation has none of it. */
export async function counterById(db: Db, organisationId: string, id: string): Promise<CounterReport | null> {
  const found = await counters(db).findOne({ _id: id, organisationId });
  return found && reportOf(counterOfDocument(found), Date.now());
}

/** Counters of an organisation by their ids, those that exist. */
export async function countersById(
  db: Db,
  organisationId: string,
  ids: readonly string[],
): Promise<CounterReport[]> {
  const now = Date.now();
  const found = await counters(db)
    .find({ _id: { $in: [...ids] }, organisationId })
    .toArray();
  return found.map((raw) => reportOf(counterOfDocument(raw), now));
}

/** A counter as the store has it, for the administration. `now`: milliseconds since the epoch. */
export const counterReport = (raw: Document, now: number): CounterReport =>
  reportOf(counterOfDocument(raw), now);

function reportOf(counter: CounterDocument, now: number): CounterReport {
  const { cap, fill, at, seconds, L } = counter;
  const refilled = seconds === null ? 0 : Math.min(fill, Math.floor(((now - at) * cap) / (seconds * 1000)));
  const used = Math.max(0, fill - refilled);
  const silent = new Set(abandonedOf(counter, now).map(([key]) => key));
  let held = 0;
  let abandoned = 0;
  for (const [key, { g, u, h }] of Object.entries(L)) {
    if (silent.has(key)) abandoned += g - u;
    else held += h;
  }
  return { ...counter, used, held, abandoned, remaining: Math.max(0, cap - used - held - abandoned) };
}
