import { isPassed, type Slot } from '../ledger/slot.ts';
import type { LimitAlarmKind } from './model.ts';

/** Of an amount that is used up but for this part, a call that was refused shows that nothing more fits. */
const REST = 0.01;

/** What a counter has come to, as the store said last. A rate comes back by itself and raises no alarm. */
export function crossedBy(slot: Slot): LimitAlarmKind[] {
  const { limit, known, refusedAt, usedAt } = slot;
  if (!known || limit.kind !== 'usage' || limit.amount === 0) return [];
  const { fill, cap, abandoned } = known;
  const { alertThreshold } = limit;
  const isRefusing = refusedAt >= usedAt && Number.isFinite(refusedAt) && fill >= cap * (1 - REST);
  return [
    ...(alertThreshold !== null && fill >= alertThreshold ? (['limit_threshold'] as const) : []),
    ...(fill >= cap || isRefusing ? (['limit_exhausted'] as const) : []),
    ...(isPassed(slot) ? (['limit_overshoot'] as const) : []),
    ...(abandoned > 0 ? (['limit_abandoned'] as const) : []),
  ];
}
