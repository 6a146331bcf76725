import { alarmId, limitAlarmModel } from '../../../limits/alarms/index.ts';
import { type CounterReport, countersOfLimit } from '../../../limits/engine/index.ts';
import type { Limit } from '../../../limits/limit.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import type { GraphContext } from '../../context.ts';
import type { UsageLimitPolicyDocument } from './model.ts';
import { countedUsageLimit } from './to-limit.ts';

/** Values that are shown. */
const MOST = 1000;
const NANO = 1e9;

/** What each value has used in the present period; member names as on the wire. */
export async function usageByValue(context: GraphContext, policy: UsageLimitPolicyDocument): Promise<object> {
  const limit = countedUsageLimit(policy);
  const counters = await countersOfLimit(nativeDb(context.db), limit, {
    first: MOST,
    at: context.now().getTime(),
  });
  const told = await toldOf(context, limit, counters);
  return Object.fromEntries(
    counters.map((counter) => [
      counter.valueKey,
      {
        current_usage: limit.unit === 'cost' ? counter.fill / NANO : counter.fill,
        status: counter.fill >= counter.cap ? 'exhausted' : 'active',
        is_threshold_alerts_sent: told.has(alarmId(counter._id, 'limit_threshold', counter.gen, limit)),
        is_exhausted_alerts_sent: told.has(alarmId(counter._id, 'limit_exhausted', counter.gen, limit)),
      },
    ]),
  );
}

/** Ids of the alarms of these counters of which everybody has been told. */
async function toldOf(
  { db }: GraphContext,
  limit: Limit,
  counters: readonly CounterReport[],
): Promise<Set<string>> {
  const ids = counters.flatMap(({ _id, gen }) =>
    (['limit_threshold', 'limit_exhausted'] as const).map((kind) => alarmId(_id, kind, gen, limit)),
  );
  const found = await limitAlarmModel(db)
    .find({ _id: { $in: ids }, organisationId: limit.organisationId, isTold: true }, { _id: 1 })
    .lean<{ _id: string }[]>();
  return new Set(found.map(({ _id }) => _id));
}
