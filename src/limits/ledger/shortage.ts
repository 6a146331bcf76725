import type { CounterState, LimitAsk, Shortage } from '../engine.ts';
import { isBucket, refilledAt, refilledBy, refilledFrom } from './bucket.ts';
import { returningOf, slackOf } from './lease.ts';
import type { Slot } from './slot.ts';

/** Used, held and left of a counter, as this process knows it at a time of the store. */
export function stateOf(slot: Slot, wallTime: number): CounterState {
  const { known, lease, limit, span } = slot;
  const amount = known?.cap ?? limit.amount;
  const refilled = known ? refilledBy(slot, known, wallTime) : 0;
  const used = Math.max(0, (known?.fill ?? 0) - refilled + lease.used - lease.stored.used);
  const held = (known?.held ?? 0) + lease.held;
  const resetsAt = isBucket(slot) ? fullAt(slot, wallTime) : span.until;
  return { amount, used, held, remaining: Math.max(0, amount - used - held), resetsAt };
}

const fullAt = ({ known }: Slot, wallTime: number): number => Math.max(wallTime, known?.fullAt ?? 0);

/** How long a call has waited: its time is not over, or it is, or it is over for so long that it is refused in any case. */
export type Patience = 'waits' | 'ended' | 'overdue';

/** Why a counter does not give what is asked, by what this process knows; null where it may yet. */
export function shortageOf(slot: Slot, ask: LimitAsk, wallTime: number, patience: Patience): Shortage | null {
  const { known, lease, limit, span } = slot;
  const { amount, used, held } = stateOf(slot, wallTime);
  const because = (why: Shortage['why'], availableAt: number | null) => ({
    ask,
    why,
    used,
    held,
    availableAt,
  });
  const needed = ask.amount;
  if (needed > amount) return because('never', null);
  const soon = wallTime + 1000;
  if (!known) return patience === 'overdue' ? because('lost', soon) : null;
  const own = slackOf(lease) + returningOf(lease);
  const free = known.room + own + refilledBy(slot, known, wallTime);
  if (free >= needed) return patience === 'overdue' ? because(isBucket(slot) ? 'rate' : 'held', soon) : null;
  if (isBucket(slot)) {
    const lack = needed - known.room - own;
    const at = Math.max(wallTime + 1, refilledAt(slot, known, lack));
    if (patience === 'waits' && at <= wallTime + limit.waitMs) return null;
    return because('rate', Math.max(at, refilledFrom(slot, known, lack, wallTime)));
  }
  if (free + known.idle + known.held + lease.held < needed) return because('spent', span.until);
  return patience === 'waits' ? null : because('held', soon);
}
