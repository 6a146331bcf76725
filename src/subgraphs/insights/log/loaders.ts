import DataLoader from 'dataloader';
import { tenantFilter } from '../../../auth/index.ts';
import type { LogBodies, LogBodiesPack, LogRecord } from '../../../recording/log-record.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { logBodiesPackModel, logModel } from './model.ts';

export const logById = loaderById(logModel, tenantFilter);

type Messages = Omit<LogBodies, 'expiresAt'>;

/** Headers and bodies of logs; null where none are stored any more. One query for all the logs of one level. */
export const logBodiesByRecord = perRequest(
  (context: GraphContext) =>
    new DataLoader<LogRecord, Messages | null, string>(
      async (records) => {
        const packs = await packsOf(context, records);
        return records.map(({ _id, bodiesId }) => {
          const text = packs.get(bodiesId ?? '')?.entries[_id];
          return text === undefined ? null : (JSON.parse(text) as Messages);
        });
      },
      { cacheKeyFn: ({ _id }) => _id },
    ),
);

async function packsOf(
  { principal, db }: GraphContext,
  records: readonly LogRecord[],
): Promise<Map<string, LogBodiesPack>> {
  const ids = [...new Set(records.flatMap(({ bodiesId }) => bodiesId ?? []))];
  if (!principal || ids.length === 0) return new Map();
  const members = Object.fromEntries(records.map(({ _id }) => [`entries.${_id}`, 1]));
  const packs = await logBodiesPackModel(db)
    .find({ ...tenantFilter(principal), _id: { $in: ids } }, members)
    .lean<LogBodiesPack[]>();
  return new Map(packs.map((pack) => [pack._id, pack]));
}
