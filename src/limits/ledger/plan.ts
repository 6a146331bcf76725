import type { CounterUpdate } from '../counters/document.ts';
import { hourOf, isSampled } from '../counters/samples.ts';
import { expiryOf } from '../counters/window.ts';
import { isBucket, refillOf, unitMsOf } from './bucket.ts';
import { canEnd, leavingOf, messageOf, slackOf, type Wish } from './lease.ts';
import { isToBeSettled, type KnownCounter, type Slot } from './slot.ts';
import { neededOf } from './waiting.ts';

/** What the plan of a round goes by. */
export type Moment = {
  /** Monotonic milliseconds of this process. */
  now: number;
  /** The latest time that the store has said; it is over for sure. */
  storeTime: number;
  /** The store's time by this process's reckoning. */
  wallTime: number;
  /** The store's time is to be heard anew. */
  hasLeapt: boolean;
  /** Milliseconds of demand that a process leases ahead. */
  leaseMs: number;
  /** The process stops: nothing is wanted any more. */
  isEnding?: boolean;
};

/** Milliseconds between two rounds of a counter: at least; where only calls of others can free something; where nothing presses. */
const PACE_MS = 20;
const HELD_PACE_MS = 100;
const CALM_MS = 1000;
/** Milliseconds between two reads of a spent counter for which somebody asks. */
const SPENT_PACE_MS = 250;
/** Milliseconds without use after which a lease is given back and ended. */
export const IDLE_MS = 30_000;
/** A process leases at most this share of a room that all processes divide among themselves, beyond what waits. */
const SHARE = 8;

/** What room is left for: `tight`, for little more than a moment of this process's demand; `scarce`, for few calls. */
export type Plenty = 'plenty' | 'tight' | 'scarce';

export function plentyOf({ demand }: Slot, known: KnownCounter, now: number): Plenty {
  const rate = demand.rate(now);
  if (rate > 0 && known.room < 4 * demand.size()) return 'scarce';
  return known.room / (SHARE * known.processes) < 250 * rate ? 'tight' : 'plenty';
}

/** How much of the slack to keep while nobody waits. */
function keptOf(slot: Slot, known: KnownCounter, plenty: Plenty, { now, leaseMs }: Moment): number {
  const rate = slot.demand.rate(now);
  if (plenty === 'scarce') return 0;
  if (plenty === 'tight') return Math.floor(50 * rate);
  // So little of what is left may lie about until the counter is idle.
  return Math.max(Math.floor(2 * rate * leaseMs), Math.floor(known.room / (64 * known.processes)));
}

/** What beyond those who wait a process takes at most. */
function extraOf(slot: Slot, need: number, { now, leaseMs }: Moment): number {
  const { known, demand } = slot;
  const room = known ? known.room : slot.limit.amount;
  const share = Math.floor((room - need) / (SHARE * (known?.processes ?? 1)));
  return Math.max(0, Math.min(Math.ceil(demand.rate(now) * leaseMs), share));
}

/** What is to be done about a counter: nothing, a look at it, or a message with it. */
export type Todo = 'nothing' | 'look' | 'exchange' | 'leave';

export function todoOf(slot: Slot, moment: Moment): Todo {
  const { known, lease, waiters } = slot;
  const since = moment.now - slot.roundAt;
  if (since < PACE_MS) return 'nothing';
  if (lease.leaving !== null) return 'leave';
  if (waiters.size > 0) return since < waitingPace(slot) ? 'nothing' : 'exchange';
  if (known && known.strays.length > 0) return 'exchange';
  const isAsked = slot.refusedAt > slot.roundAt && since >= SPENT_PACE_MS;
  const isDue = isAsked || since >= CALM_MS;
  // The store says its time in answer to a message only, and what a bucket has refilled by now goes by it.
  const isToHear = isAsked && moment.hasLeapt;
  const isUnreported = lease.used !== lease.stored.used;
  // Nobody knows what became of the last message: the store may have granted what lies about here unknown.
  const isUnclear = lease.sent !== lease.seen || isToBeSettled(slot, moment.now);
  if (!lease.joined) {
    if (!isDue) return 'nothing';
    return isUnreported || isToHear ? 'exchange' : isAsked || isUnclear ? 'look' : 'nothing';
  }
  if (known && known.ver !== slot.limit.version && known.ver < slot.limit.version) return 'exchange';
  if ((moment.now - slot.usedAt > IDLE_MS || isOver(slot, moment)) && lease.held === 0)
    return mayLeave(slot) ? 'leave' : since >= CALM_MS ? 'exchange' : 'nothing';
  if (known && presses(slot, known, moment)) return 'exchange';
  if (!isDue) return 'nothing';
  // A look delays the next round, so it takes along what there is to tell: those refused here may be waiting for just that.
  const isUntold =
    isUnreported ||
    isToHear ||
    isUnclear ||
    lease.stored.granted !== lease.granted ||
    hasSurplus(slot, moment) ||
    isHolding(slot, moment);
  return isUntold ? 'exchange' : isAsked ? 'look' : 'nothing';
}

/** A lease that stays silent counts as abandoned, so a call that runs long is told of. */
const isHolding = ({ lease, roundAt }: Slot, { now }: Moment): boolean =>
  slackOf(lease) + lease.held !== 0 && now - roundAt > IDLE_MS / 3;

export const isOver = ({ span }: Slot, { wallTime }: Pick<Moment, 'wallTime'>): boolean =>
  span.until !== null && wallTime >= span.until;

/** Whether a lease can end: nothing is under way, and a bucket has been told of everything. */
export const mayLeave = (slot: Slot): boolean =>
  canEnd(slot.lease) && (!isBucket(slot) || slot.lease.used === slot.lease.stored.used);

function waitingPace({ known, lease, roundAt, waiters }: Slot): number {
  if (!known || !lease.joined) return PACE_MS;
  const pace = Math.max(PACE_MS, known.processes);
  const [first] = waiters;
  // Who came since the last round has not been heard at all.
  const isNew = first !== undefined && first.since > roundAt;
  return isNew || known.room + slackOf(lease) + known.idle > 0 ? pace : Math.max(HELD_PACE_MS, pace);
}

function hasSurplus(slot: Slot, moment: Moment): boolean {
  const { known, lease } = slot;
  return known !== null && slackOf(lease) > keptOf(slot, known, plentyOf(slot, known, moment.now), moment);
}

/** Whether more is needed soon, or something must not lie about. */
function presses(slot: Slot, known: KnownCounter, moment: Moment): boolean {
  const slack = slackOf(slot.lease);
  const plenty = plentyOf(slot, known, moment.now);
  if (plenty !== 'plenty') {
    if (slack > keptOf(slot, known, plenty, moment)) return true;
    // Used up, so that the refill of a bucket can begin.
    return (
      isBucket(slot) &&
      slot.lease.used !== slot.lease.stored.used &&
      moment.now - slot.roundAt >= HELD_PACE_MS
    );
  }
  const target = slot.demand.rate(moment.now) * moment.leaseMs;
  return slack < 0.4 * target && extraOf(slot, 0, moment) - Math.max(0, slack) > 0.1 * target;
}

/** The updates of one counter in a round. */
export function updatesOf(slot: Slot, moment: Moment): CounterUpdate[] {
  const { known, lease, limit, id } = slot;
  const updates: CounterUpdate[] = [];
  if (!known) updates.push(makingOf(slot, moment));
  if (known && known.ver < limit.version) updates.push(editOf(slot, known, limit));
  const bucket = isBucket(slot);
  for (const { key, s, room, fill } of known?.strays ?? []) {
    const isLater = bucket &&
      fill !== 0 && { fullAtLeast: moment.storeTime, fullLater: fill * unitMsOf(slot, known?.cap ?? 0) };
    updates.push({ kind: 'lease', id, lease: key, after: [s], room, fill, becomes: null, ...isLater });
  }
  const refill = bucket && known ? refillOf(slot, known, moment.storeTime) : null;
  if (refill) updates.push(refill);
  updates.push(...sampleOf(slot, moment));
  slot.usedAtSend = lease.used;
  slot.sentAt = moment.now;
  updates.push(...messageOf(lease, wishOf(slot, moment)));
  return updates;
}

/** Before the first report of an hour, what was counted until then. */
function sampleOf(slot: Slot, { wallTime }: Moment): CounterUpdate[] {
  const { id, known, lease, limit, span } = slot;
  if (!known || !lease.joined || lease.used === lease.stored.used || !isSampled(limit, span)) return [];
  const sampled = `${hourOf(wallTime)}:${known.gen}`;
  if (sampled === slot.sampled) return [];
  slot.sampled = sampled;
  return [{ kind: 'sample', id, sample: { at: wallTime, fill: known.fill, gen: known.gen } }];
}

export function leaveOf(slot: Slot): CounterUpdate[] {
  return [leavingOf(slot.lease, slot.id)];
}

function wishOf(slot: Slot, moment: Moment): Wish {
  const { id, known, lease, limit, reportable } = slot;
  const isRefilled = isBucket(slot);
  const expiresAt = isRefilled ? expiryOf(limit, slot.span, moment.wallTime) : null;
  return {
    id,
    ...amountsOf(slot, moment),
    report: isRefilled ? reportable.used : lease.used,
    ...(isRefilled && {
      bucket: {
        fullAtLeast: reportable.before,
        cap: known?.cap ?? limit.amount,
        unitMs: unitMsOf(slot, known?.cap ?? limit.amount),
      },
    }),
    ...(expiresAt && { expiresAt }),
  };
}

/** What to ask for and what to give back. A limit that only watches needs nothing beforehand. */
function amountsOf(slot: Slot, moment: Moment): Pick<Wish, 'asks' | 'giveBack'> {
  const { known, lease, waiters } = slot;
  if (slot.isFree) return { asks: [], giveBack: 0 };
  const slack = Math.max(0, slackOf(lease));
  if (moment.isEnding) return { asks: [], giveBack: slack };
  const plenty = known ? plentyOf(slot, known, moment.now) : 'plenty';
  if (waiters.size > 0) {
    // Slack that serves none of those who wait would lie about here, while others wait for it elsewhere.
    const giveBack = plenty === 'plenty' ? 0 : slack;
    return { asks: asksOf(slot, slack - giveBack, moment), giveBack };
  }
  const kept = known ? keptOf(slot, known, plenty, moment) : slack;
  if (slack > kept) return { asks: [], giveBack: slack - kept };
  return { asks: plenty === 'plenty' ? [extraOf(slot, 0, moment) - slack] : [], giveBack: 0 };
}

/**
 * All that is wanted; what waits; as many of those who wait as fit into the room, and into this process's part of it; the
 * first of them. Asking only for all or for one left most of a budget unused for seconds: each round served one call.
 */
function asksOf(slot: Slot, slack: number, moment: Moment): number[] {
  const { known, waiters } = slot;
  const room = known?.room ?? slot.limit.amount;
  const part = room / (known?.processes ?? 1);
  let all = 0;
  let first = 0;
  let fitting = 0;
  let fair = 0;
  for (const waiter of waiters) {
    const needed = neededOf(waiter, slot);
    all += needed;
    if (first === 0) first = needed;
    if (all - slack <= room) fitting = all;
    if (all - slack <= part) fair = all;
  }
  const whole = all - slack;
  return [whole + extraOf(slot, whole, moment), whole, fitting - slack, fair - slack, first - slack];
}

/** Everything of a counter that nobody has used yet. */
function makingOf({ id, limit, valueKey, values, span }: Slot, { wallTime }: Moment): CounterUpdate {
  return {
    kind: 'make',
    id,
    counter: {
      _id: id,
      organisationId: limit.organisationId,
      workspaceId: limit.workspaceId,
      limitId: limit.id,
      ver: limit.version,
      valueKey,
      values,
      unit: limit.unit,
      ...span,
      seconds: limit.window.kind === 'bucket' ? limit.window.seconds : null,
      cap: limit.amount,
      room: limit.amount,
      fill: 0,
      at: 0,
      fullAt: 0,
      gen: 0,
      uncertain: 0,
      overshoot: 0,
      unpriced: 0,
      expiresAt: expiryOf(limit, span, wallTime),
    },
  };
}

/** A counter that an edit of its limit has missed. */
function editOf(
  slot: Slot,
  { ver, cap, at, fill }: KnownCounter,
  { amount, version }: Slot['limit'],
): CounterUpdate {
  const edit = { kind: 'edit', id: slot.id, ver, cap, newVer: version, newCap: amount } as const;
  return isBucket(slot) ? { ...edit, at, fullAt: at + fill * unitMsOf(slot, amount) } : edit;
}
