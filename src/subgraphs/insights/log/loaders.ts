import DataLoader from 'dataloader';
import { tenantFilter } from '../../../auth/index.ts';
import { LOG_BODIES_COLLECTION, type LogBodiesPack, type LogRecord } from '../../../recording/log-record.ts';
import { unpack } from '../../../recording/write-logs.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { logModel } from './model.ts';

export const logById = loaderById(logModel, tenantFilter);

type Messages = ReturnType<typeof unpack>[string];

/** Headers and bodies of logs; null where none are stored any more. One query for all the logs of one level. */
export const logBodiesByRecord = perRequest(
  (context: GraphContext) =>
    new DataLoader<LogRecord, Messages | null, string>(
      async (records) => {
        const packs = await packsOf(context, records);
        return records.map(({ _id, bodiesId }) => packs.get(bodiesId ?? '')?.[_id] ?? null);
      },
      { cacheKeyFn: ({ _id }) => _id },
    ),
);

async function packsOf({ principal, db }: GraphContext, records: readonly LogRecord[]) {
  const ids = [...new Set(records.flatMap(({ bodiesId }) => bodiesId ?? []))];
  if (!principal || ids.length === 0) return new Map<string, Record<string, Messages>>();
  const packs = await nativeDb(db)
    .collection<LogBodiesPack>(LOG_BODIES_COLLECTION)
    .find({ ...tenantFilter(principal), _id: { $in: ids } })
    .toArray();
  return new Map(packs.map((pack) => [pack._id, unpack(pack)]));
}
