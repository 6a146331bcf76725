import type { CounterDocument, CounterUpdate, StoredLease } from '../counters/document.ts';

/** What a process adds up of a lease, beside what it used. */
export type Tallies = { uncertain: number; overshoot: number; unpriced: number };

/** What one process holds of one counter, and what it knows of the store's side of it. Amounts are in the unit of the limit. */
export type Lease = Tallies & {
  key: string;
  /** Whether a document has shown it. */
  joined: boolean;
  /** The number of the message that began it. */
  joinedAt: number;
  /** The number of its last message that is known to have been applied, and the last number that was given to one. */
  seen: number;
  sent: number;
  /** As the store had it at `seen`. */
  stored: { granted: number; used: number } & Tallies;
  /** What may be used: what the store granted, less everything that a message took back to it. */
  granted: number;
  used: number;
  held: number;
  /** What `used` was when a message that ends the lease was first sent; null while it goes on. */
  leaving: number | null;
  /** Its number in the journal; 0 before it is named there. */
  place: number;
  /** What the journal counts as spent if the process is killed now: no less than what is used and held. */
  noted: number;
  /** What was used and held when the journal last wrote it without being pressed. */
  calm: number;
};

const NONE: Tallies = { uncertain: 0, overshoot: 0, unpriced: 0 };

/** A lease that the store knows nothing of. No key may be given twice: a message that comes late would bring it back. */
export const newLease = (key: string): Lease => ({
  key,
  joined: false,
  joinedAt: 0,
  seen: 0,
  sent: 0,
  stored: { granted: 0, used: 0, ...NONE },
  granted: 0,
  used: 0,
  held: 0,
  leaving: null,
  place: 0,
  noted: 0,
  calm: 0,
  ...NONE,
});

/** What may still be reserved without asking the store. Less than nothing after a call that used more than it had reserved. */
export const slackOf = ({ granted, used, held }: Lease): number => granted - used - held;

/** What is on its way back to the store: it is no slack any more, and the room that was last read lacks it still. */
export const returningOf = ({ stored, granted }: Lease): number => stored.granted - granted;

/** On what a bucket takes a report of use: see `bucket.ts`. */
export type BucketWish = {
  /** The bucket must not have been full for sure before this time, in milliseconds since the epoch. */
  fullAtLeast: number;
  cap: number;
  /** Milliseconds in which one unit is refilled. */
  unitMs: number;
};

/** What a process wants of one counter in a round. */
export type Wish = {
  id: string;
  /** Amounts to ask for, of which the first is granted that the room suffices for; it falls to nothing by itself. */
  asks: readonly number[];
  /** Free slack that goes back, at once. */
  giveBack: number;
  /** What the store may be told to be used by now; a bucket is told only what is older than its refill. */
  report: number;
  bucket?: BucketWish;
  expiresAt?: Date;
};

/**
 * The updates that carry a wish, of which one is applied at most: each moves the lease from the last number that is known to
 * another one. What they give back stops counting at this moment, whether or not they arrive.
 */
export function messageOf(lease: Lease, wish: Wish): CounterUpdate[] {
  if (!lease.joined) return joining(lease, wish);
  lease.granted -= Math.max(0, Math.min(wish.giveBack, slackOf(lease)));
  const back = returningOf(lease);
  const from = lease.seen;
  lease.sent += 2;
  const { id, bucket, expiresAt } = wish;
  const base = {
    kind: 'lease',
    id,
    lease: lease.key,
    room: 0,
    fill: 0,
    ...(expiresAt && { expiresAt }),
  } as const;
  const unreported = lease.used - wish.report;
  const h = lease.held + Math.max(0, unreported);
  const updates: CounterUpdate[] = [];
  const report = {
    fill: wish.report - lease.stored.used,
    ...talliesSince(lease),
  };
  const told = { u: wish.report, h, ...talliesOf(lease) };
  // A bucket's report has a condition of its own, so it is a step of its own before the rest.
  const apart = bucket !== undefined && wish.report !== lease.stored.used;
  if (apart) {
    const becomes = { s: lease.sent - 1, add: 0, ...told };
    const { fullAtLeast, cap, unitMs } = bucket;
    const fullLater = report.fill * unitMs;
    updates.push({ ...base, ...report, after: [from], fullAtLeast, capIs: cap, fullLater, becomes });
  }
  const after = apart ? [from, lease.sent - 1] : [from];
  const isTold = bucket === undefined;
  const debt = Math.max(0, -slackOf(lease));
  for (const ask of ladder(wish.asks)) {
    const add = ask + debt - back;
    updates.push({
      ...base,
      ...(isTold && report),
      after,
      ...(ask > 0 && add > 0 && { roomAtLeast: add }),
      room: -add,
      becomes: { s: lease.sent, add, ...(isTold ? told : { h }) },
    });
  }
  return updates;
}

/** The first message of a lease. It reports nothing, so that one that comes late enough to be nobody's can be undone. */
function joining(lease: Lease, { id, asks, expiresAt }: Wish): CounterUpdate[] {
  lease.sent += 2;
  return ladder(asks).map((ask) => ({
    kind: 'lease',
    id,
    lease: lease.key,
    after: null,
    ...(ask > 0 && { roomAtLeast: ask }),
    room: -ask,
    fill: 0,
    becomes: { s: lease.sent, add: ask, u: 0, h: lease.held + lease.used },
    ...(expiresAt && { expiresAt }),
  }));
}

/**
 * Whether a lease can end. One of which only the beginning was applied cannot: if that came twice, the second one would look
 * like a lease whose end was lost.
 */
export const canEnd = ({ joined, seen, joinedAt, held }: Lease): boolean =>
  joined && held === 0 && seen > joinedAt;

/** Reports everything, gives everything back and ends the lease. Until a document shows it gone, nothing may be reserved. */
export function leavingOf(lease: Lease, id: string): CounterUpdate {
  lease.leaving ??= lease.used;
  lease.granted = Math.min(lease.granted, lease.used + lease.held);
  lease.sent += 2;
  return {
    kind: 'lease',
    id,
    lease: lease.key,
    after: [lease.seen],
    room: lease.stored.granted - lease.leaving,
    fill: lease.leaving - lease.stored.used,
    ...talliesSince(lease),
    becomes: null,
  };
}

/** Falling amounts without repetitions, down to nothing. */
function ladder(asks: readonly number[]): number[] {
  const falling = [...new Set(asks)].filter((ask) => ask > 0).sort((one, other) => other - one);
  return [...falling, 0];
}

/**
 * Takes over what a document says. `granted` grows only here, by what the store has granted, and only once no message that
 * gives something back can still arrive. Answers false where the lease is not there: then the next one needs `renewed`.
 */
export function adopt(lease: Lease, document: CounterDocument | undefined): boolean {
  const mine = document?.L[lease.key];
  if (!mine) return !lease.joined;
  // Its beginning came a second time, after its end.
  if (mine.s < lease.seen) return false;
  if (lease.joined && mine.s === lease.seen) return true;
  const underWay = returningOf(lease);
  const isStep = mine.s % 2 === 1;
  if (!lease.joined) lease.joinedAt = mine.s;
  lease.joined = true;
  lease.seen = mine.s;
  lease.stored = { granted: mine.g, used: mine.u, ...storedTallies(mine) };
  lease.granted = isStep ? mine.g - underWay : mine.g;
  if (lease.leaving !== null) lease.granted = Math.min(lease.granted, lease.used + lease.held);
  return true;
}

/** What goes on under a new key after a lease is gone from the store: calls under way, and use that was not reported. */
export function renewed(lease: Lease, key: string): Lease {
  const told = lease.leaving ?? lease.stored.used;
  const fresh = newLease(key);
  fresh.held = lease.held;
  fresh.used = lease.used - told;
  if (lease.leaving === null) Object.assign(fresh, talliesSince(lease));
  return fresh;
}

const talliesOf = ({ uncertain, overshoot, unpriced }: Tallies) => ({
  ...(uncertain !== 0 && { c: uncertain }),
  ...(overshoot !== 0 && { o: overshoot }),
  ...(unpriced !== 0 && { p: unpriced }),
});

const storedTallies = ({ c = 0, o = 0, p = 0 }: StoredLease): Tallies => ({
  uncertain: c,
  overshoot: o,
  unpriced: p,
});

const talliesSince = (lease: Lease): Tallies => ({
  uncertain: lease.uncertain - lease.stored.uncertain,
  overshoot: lease.overshoot - lease.stored.overshoot,
  unpriced: lease.unpriced - lease.stored.unpriced,
});
