import { isBucket, unitMsOf } from './bucket.ts';
import type { Slot } from './slot.ts';

/** Whether a limit lets a call pass while the store cannot be asked. `local`: by this process's share of what was left. */
export function admitsAlone(slot: Slot, amount: number, now: number): boolean {
  if (slot.limit.onStoreLoss === 'open') return true;
  return slot.limit.onStoreLoss === 'local' && shareOf(slot, now).left >= amount;
}

/** Counts what was admitted without the store. It is reported as a debt once the store is back. */
export function spendAlone(slot: Slot, amount: number, now: number): void {
  if (slot.limit.onStoreLoss === 'local') shareOf(slot, now).left -= amount;
}

function shareOf(slot: Slot, now: number): { left: number; at: number } {
  const { known, limit } = slot;
  const processes = known?.processes ?? 1;
  const cap = known?.cap ?? limit.amount;
  slot.local ??= { left: Math.floor(Math.max(0, known?.room ?? limit.amount) / processes), at: now };
  if (isBucket(slot)) {
    const refilled = Math.floor((now - slot.local.at) / (unitMsOf(slot, cap) * processes));
    if (refilled > 0) {
      slot.local.left = Math.min(Math.floor(cap / processes), slot.local.left + refilled);
      slot.local.at += refilled * unitMsOf(slot, cap) * processes;
    }
  }
  return slot.local;
}
