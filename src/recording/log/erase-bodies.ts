import { Binary, type Db } from 'mongodb';
import { LOG_BODIES_COLLECTION, LOGS_COLLECTION, type LogBodiesPack, type LogRecord } from './record.ts';
import { compress, unpack } from './write-logs.ts';

type Erased = Pick<LogRecord, '_id' | 'bodiesId'>;

/**
 * Takes headers and bodies from logs, which stay as they are otherwise. Answers how many logs had some. May be done again after
 * a failure.
 */
export async function eraseBodies(db: Db, records: readonly Erased[]): Promise<number> {
  let erased = 0;
  const byPack = Map.groupBy(records, ({ bodiesId }) => bodiesId);
  for (const [packId, logs] of byPack) {
    if (packId === null) continue;
    const ids = logs.map(({ _id }) => _id);
    erased += await takeFromPack(db, packId, ids);
    await db
      .collection<LogRecord>(LOGS_COLLECTION)
      .updateMany({ _id: { $in: ids } }, { $set: { bodiesId: null } });
  }
  return erased;
}

/** A pack that others change meanwhile is read anew, so that nothing of theirs is lost. */
async function takeFromPack(db: Db, packId: string, ids: readonly string[]): Promise<number> {
  const packs = db.collection<LogBodiesPack>(LOG_BODIES_COLLECTION);
  for (;;) {
    const pack = await packs.findOne({ _id: packId });
    if (!pack) return 0;
    const logs = unpack(pack);
    const found = ids.filter((id) => id in logs);
    for (const id of found) delete logs[id];
    const asRead = { _id: packId, entries: pack.entries };
    const isLast = Object.keys(logs).length === 0;
    const isDone = isLast
      ? (await packs.deleteOne(asRead)).deletedCount === 1
      : (await packs.updateOne(asRead, { $set: { entries: new Binary(compress(logs)) } })).matchedCount === 1;
    if (isDone) return found.length;
  }
}
