import type { NewLimitAlarm } from '../../limits/alarms/index.ts';
import { counterId, windowAt } from '../../limits/counters/window.ts';
import { type CounterReport, counterById, resetCounter } from '../../limits/engine/index.ts';
import type { Limit } from '../../limits/limit.ts';
import { nativeDb } from '../../storage/native-db.ts';
import type { GraphContext } from '../context.ts';

type Resetting = Pick<GraphContext, 'db' | 'limitAlarms' | 'now'>;

/** Of a limit that is counted as a whole. */
const NO_GROUPS = '';

/** Sets what was used of usage limits in their present period back to nothing; calls under way count after it. */
export async function resetUsage(context: Resetting, limits: readonly Limit[]): Promise<void> {
  for (const limit of limits) {
    if (limit.kind !== 'usage') continue;
    const span = windowAt(limit.window, context.now().getTime());
    await resetCounterOf(context, limit, counterId(limit, NO_GROUPS, span));
  }
}

/** Sets one counter of a limit back, and tells of it; false where there is no such counter. */
export async function resetCounterOf(context: Resetting, limit: Limit, id: string): Promise<boolean> {
  const db = nativeDb(context.db);
  const counter = await counterById(db, limit.organisationId, id);
  const change = counter && (await resetCounter(db, limit.organisationId, id));
  if (!change) return false;
  await context.limitAlarms.raise(resetAlarm(limit, counter, change.before));
  return true;
}

/** Tells how much had been used: the trail names who set it back. */
function resetAlarm(limit: Limit, { _id, gen, valueKey, until }: CounterReport, used: number): NewLimitAlarm {
  const { organisationId, workspaceId, level, unit, amount, alertThreshold, alertEmails } = limit;
  return {
    ...{ organisationId, workspaceId, level, unit, amount, alertEmails, valueKey, used, until },
    _id: `${_id}:limit_reset:${gen}`,
    kind: 'limit_reset',
    limitId: limit.id,
    counterId: _id,
    limitName: limit.name,
    threshold: alertThreshold,
  };
}
