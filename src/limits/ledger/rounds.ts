import type { CounterDocument, CounterUpdate } from '../counters/document.ts';
import type { StoreClock } from './clock.ts';
import { slackOf } from './lease.ts';
import { IDLE_MS, isOver, leaveOf, type Moment, mayLeave, plentyOf, todoOf, updatesOf } from './plan.ts';
import { latestTime, learn } from './reading.ts';
import { isSettled, type Slot } from './slot.ts';
import { revoke, type Slots } from './slots.ts';
import type { Waiter } from './waiting.ts';

/** What is sent to the store in one round, and which counters are read afterwards. */
export type Round = { updates: CounterUpdate[]; slots: Slot[]; startedAt: number };

/** Counters in one round. */
const MOST_IN_ROUND = 500;
/** Milliseconds between two looks at counters for which nobody waits and of which there is plenty. */
const LOOK_MS = 100;
/** Milliseconds without use after which a counter with little room is looked at like any other. */
const COOL_MS = 1000;
/** Milliseconds without an answer after which a round has failed, and limits go by what their owner wants without the store. */
export const LOSS_MS = 2000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

type Options = { clock: StoreClock; leaseMs: number; onRead?: ((slot: Slot) => void) | undefined };

/** The exchange with the store: what is due, and what became of it. */
export class Rounds {
  /** In the order of arrival. */
  readonly waiting = new Set<Waiter>();
  readonly #slots: Slots;
  readonly #options: Options;
  readonly #admit: (now: number) => void;
  /** Counters that are looked at each time. */
  readonly #hot = new Set<Slot>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #failingSince: number | null = null;
  #failures = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #endingSince: number | null = null;
  count = 0;

  constructor(slots: Slots, options: Options, admit: (now: number) => void) {
    this.#slots = slots;
    this.#options = options;
    this.#admit = admit;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Whether the store has not answered for so long that limits go by what their owner wants then. */
  isLost(now: number): boolean {
    return this.#failingSince !== null && (this.#failures >= 3 || now - this.#failingSince >= LOSS_MS);
  }

  /** Milliseconds until something may be due. */
  pause(now: number): number {
    const wait = this.waiting.size > 0 || this.#hot.size > 0 ? 5 : LOOK_MS;
    return Math.max(wait, this.#pausedUntil - now);
  }

  /** What is due now; null for nothing. Its updates must be sent, and `completed` or `failed` be called, before the next. */
  prepare(moment: Moment): Round | null {
    if (moment.now < this.#pausedUntil) return null;
    const round: Round = { updates: [], slots: [], startedAt: moment.now };
    const seen = new Set<Slot>();
    for (const waiter of this.waiting) for (const slot of waiter.slots) this.#add(round, slot, moment, seen);
    for (const slot of this.#hot) {
      this.#add(round, slot, moment, seen);
      if (moment.now - slot.usedAt > COOL_MS) this.#hot.delete(slot);
    }
    if (moment.now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = moment.now;
      for (const slot of this.#slots.all()) {
        if (isUnneeded(slot, moment)) this.#forget(slot);
        else this.#add(round, slot, moment, seen);
      }
    }
    if (round.slots.length === 0) return null;
    this.count += 1;
    return round;
  }

  /** At the end: reports and gives back all that no open call holds. Null once the store knows it. */
  prepareLast(moment: Moment): Round | null {
    const round: Round = { updates: [], slots: [], startedAt: moment.now };
    this.#endingSince ??= moment.now;
    for (const slot of this.#slots.all()) {
      const { lease, known } = slot;
      if (!lease.joined && lease.used === 0 && lease.sent === 0) {
        if (round.slots.length >= MOST_IN_ROUND) break;
        // The last look at what came late.
        const isSeen = known !== null && known.readAt >= this.#endingSince;
        if (!isSeen && !isSettled(slot)) round.slots.push(slot);
        if (!isSeen || known.strays.length === 0) continue;
      }
      const isDone = lease.used === lease.stored.used && lease.granted === lease.stored.granted;
      if (isDone && lease.held > 0 && slackOf(lease) === 0) continue;
      if (round.slots.length >= MOST_IN_ROUND) break;
      revoke(slot);
      slot.roundAt = moment.now;
      round.slots.push(slot);
      round.updates.push(
        ...(lease.joined && mayLeave(slot) ? leaveOf(slot) : updatesOf(slot, { ...moment, isEnding: true })),
      );
    }
    return round.slots.length === 0 ? null : round;
  }

  #add(round: Round, slot: Slot, moment: Moment, seen: Set<Slot>): void {
    if (round.slots.length >= MOST_IN_ROUND || seen.has(slot)) return;
    seen.add(slot);
    const todo = todoOf(slot, moment);
    if (todo === 'nothing') return;
    slot.roundAt = moment.now;
    round.slots.push(slot);
    if (todo === 'exchange') round.updates.push(...updatesOf(slot, moment));
    if (todo === 'leave') round.updates.push(...leaveOf(slot));
  }

  #forget(slot: Slot): void {
    this.#hot.delete(slot);
    this.#slots.drop(slot);
  }

  /** Everything was written, and these are the counters as they are now. */
  completed(round: Round, documents: readonly CounterDocument[], now: number): void {
    this.#failingSince = null;
    this.#failures = 0;
    const byId = new Map(documents.map((document) => [document._id, document]));
    for (const slot of round.slots) {
      const document = byId.get(slot.id);
      if (document) this.#options.clock.heard(latestTime(document), now);
      learn(this.#slots, slot, document, round.startedAt);
      const { known } = slot;
      if (known && slot.lease.joined && plentyOf(slot, known, now) !== 'plenty') this.#hot.add(slot);
      else this.#hot.delete(slot);
      if (known) this.#options.onRead?.(slot);
    }
    this.#admit(now);
  }

  /** It is not known what of it was written. `isSilent`: nothing was heard for LOSS_MS; otherwise the store refused at once. */
  failed(now: number, isSilent: boolean): void {
    this.#failures += 1;
    this.#failingSince ??= isSilent ? now - LOSS_MS : now;
    this.#pausedUntil = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#admit(now);
  }
}

/** Whether nothing of a slot is the store's or a call's concern. */
function isUnneeded(slot: Slot, moment: Moment): boolean {
  const { lease, waiters, usedAt } = slot;
  return (
    !lease.joined &&
    isSettled(slot) &&
    lease.held === 0 &&
    lease.used === 0 &&
    waiters.size === 0 &&
    (moment.now - usedAt > IDLE_MS || isOver(slot, moment))
  );
}
