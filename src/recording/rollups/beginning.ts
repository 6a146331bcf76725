import type { Db } from 'mongodb';
import { LOGS_COLLECTION } from '../log/record.ts';
import { HOUR, startOf } from './buckets.ts';
import { ROLLUPS_COLLECTION } from './document.ts';

type Beginning = { _id: string; beginning: Date };

const _id = 'beginning';

const stateIn = (db: Db) => db.collection<Beginning>(ROLLUPS_COLLECTION);

/** Notes, at the first start of a version with roll-ups, from when on they have all logs: those before are in none. */
export async function noteBeginning(db: Db, now: Date): Promise<void> {
  if (await stateIn(db).findOne({ _id })) return;
  const older = await db.collection(LOGS_COLLECTION).findOne({}, { projection: { _id: 1 } });
  const beginning = older ? new Date(startOf(now.getTime() + HOUR, HOUR)) : new Date(0);
  // Of several processes that start together the first one's note stays.
  await stateIn(db).updateOne({ _id }, { $setOnInsert: { beginning } }, { upsert: true });
}

/** The moment from which on roll-ups have all logs, in milliseconds since 1970. */
export async function beginningOf(db: Db): Promise<number> {
  const noted = await stateIn(db).findOne({ _id });
  return noted?.beginning.getTime() ?? 0;
}
