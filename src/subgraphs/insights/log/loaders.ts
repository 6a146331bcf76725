import DataLoader from 'dataloader';
import type { Connection } from 'mongoose';
import { ownRequestsFilter, tenantFilter } from '../../../auth/index.ts';
import { LOG_BODIES_COLLECTION, type LogBodiesPack, type LogRecord } from '../../../recording/log/record.ts';
import { unpack } from '../../../recording/log/write-logs.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { logModel } from './model.ts';

export const logById = loaderById(logModel, ownRequestsFilter);

export type Messages = ReturnType<typeof unpack>[string];

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

const packsOf = async ({ principal, db }: GraphContext, records: readonly LogRecord[]) =>
  principal ? readPacks(db, tenantFilter(principal), records) : new Map<string, Record<string, Messages>>();

type Tenant = { organisationId: string; workspaceId?: string };

/** The packs that hold the headers and bodies of logs, by their ids: messages by the log's id. */
export async function readPacks(
  db: Connection,
  tenant: Tenant,
  records: readonly LogRecord[],
): Promise<Map<string, Record<string, Messages>>> {
  const ids = [...new Set(records.flatMap(({ bodiesId }) => bodiesId ?? []))];
  if (ids.length === 0) return new Map();
  const packs = await nativeDb(db)
    .collection<LogBodiesPack>(LOG_BODIES_COLLECTION)
    .find({ ...tenant, _id: { $in: ids } })
    .toArray();
  return new Map(packs.map((pack) => [pack._id, unpack(pack)]));
}
