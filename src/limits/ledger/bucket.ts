import type { CounterUpdate } from '../counters/document.ts';
import type { KnownCounter, Slot } from './slot.ts';

/** As much of a slot as a bucket needs. */
type Windowed = { limit: Pick<Slot['limit'], 'window'> };
/** As much of a counter. */
type Level = Pick<KnownCounter, 'fill' | 'at' | 'cap' | 'fullAt'>;

/**
 * A bucket refills what was used, not what is leased, and only for time that has passed since it was used. Nobody may
 * write the time of another machine's clock as its own, so refills use only times that the store itself has said, which
 * are over. What was used is reported after such a time, on the condition that the bucket was not full before it: else the
 * time in which it stood full would refill what was used later.
 */
export const isBucket = ({ limit }: Windowed): boolean => limit.window.kind === 'bucket';

/** Milliseconds in which one unit comes back. */
export function unitMsOf({ limit }: Windowed, cap: number): number {
  const { window } = limit;
  return window.kind === 'bucket' && cap > 0 ? (window.seconds * 1000) / cap : Number.POSITIVE_INFINITY;
}

/** The refill up to `time`, a time that the store has said; null where there is none. */
export function refillOf(
  slot: Windowed & Pick<Slot, 'id' | 'reportable'>,
  known: Level,
  time: number,
): CounterUpdate | null {
  const { fill, at, cap } = known;
  const base = { kind: 'refill', id: slot.id, at } as const;
  if (time <= at) return null;
  const unitMs = unitMsOf(slot, cap);
  const credit = (time - at) / unitMs;
  if (credit >= fill) {
    const isNews = fill !== 0 || known.fullAt < slot.reportable.before;
    return isNews ? { ...base, fill, amount: fill, newAt: time, fullAt: time } : null;
  }
  const amount = Math.floor(credit);
  // A thousandth of a millisecond is more than sums of such times are off.
  return amount > 0 ? { ...base, amount, newAt: at + amount * unitMs + 0.001 } : null;
}

/** What a bucket is known to have by now, beyond its room. */
export function refilledBy(slot: Slot, { fill, at, cap }: KnownCounter, now: number): number {
  if (!isBucket(slot)) return 0;
  return Math.max(0, Math.min(fill, Math.floor((now - at) / unitMsOf(slot, cap))));
}

/** When a bucket will have refilled `lack` units, by the time from which it refills, in milliseconds since the epoch. */
export const refilledAt = (slot: Slot, { at, cap }: KnownCounter, lack: number): number =>
  Math.ceil(at + lack * unitMsOf(slot, cap));

/** The same where nothing that was used has been reported: the refill of it begins at `now` at the earliest. */
export const refilledFrom = (slot: Slot, known: KnownCounter, lack: number, now: number): number =>
  refilledAt(slot, known.fill > 0 ? known : { ...known, at: Math.max(known.at, now) }, lack);
