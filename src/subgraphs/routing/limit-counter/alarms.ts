import DataLoader from 'dataloader';
import { type LimitAlarmDocument, limitAlarmModel } from '../../../limits/alarms/index.ts';
import type { CounterReport } from '../../../limits/engine/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';

type Crossed = { alertedAt: Date | null; exhaustedAt: Date | null };
type Noted = Pick<LimitAlarmDocument, '_id' | 'kind' | 'counterId' | 'createdAt'>;

/** When a counter crossed its threshold and its limit, since it was last set back. */
export const crossedAt = perRequest(
  ({ db }: GraphContext) =>
    new DataLoader<CounterReport, Crossed>(async (counters) => {
      const found = await limitAlarmModel(db)
        .find({ $or: counters.flatMap(idsOf) }, { kind: 1, counterId: 1, createdAt: 1 })
        .lean<Noted[]>();
      const noted = new Map(found.map((alarm) => [`${alarm.kind}:${alarm.counterId}`, alarm.createdAt]));
      return counters.map(({ _id }) => ({
        alertedAt: noted.get(`limit_threshold:${_id}`) ?? null,
        exhaustedAt: noted.get(`limit_exhausted:${_id}`) ?? null,
      }));
    }),
);

/** The ids of alarms begin with those of their counters, whatever the threshold was. */
const idsOf = ({ _id, gen, organisationId }: CounterReport) =>
  ['limit_threshold', 'limit_exhausted'].map((kind) => {
    const beginning = `${_id}:${kind}:${gen}:`;
    return { _id: { $gte: beginning, $lt: `${beginning}\u{10ffff}` }, organisationId };
  });
