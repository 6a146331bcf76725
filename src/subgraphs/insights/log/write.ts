import type { Connection } from 'mongoose';
import type { LogBodies, LogBodiesPack, LogEntry, LogRecord } from '../../../recording/log-record.ts';
import { isDuplicateBatch } from '../duplicates.ts';
import { logBodiesPackModel, logModel } from './model.ts';

/**
 * Stores a batch of logs past mongoose's casting: an unordered insert of the records, one of the packs of their bodies.
 * What is there already stays as it is, so that a batch may be written again after an unclear failure.
 */
export async function writeLogs(db: Connection, entries: readonly LogEntry[]): Promise<void> {
  // As they are, nulls included: copies without them would lose the shape that makes encoding fast.
  const records = entries.map(({ record }) => record);
  const packs = packsOf(entries);
  const results = await Promise.allSettled([
    insert(logModel(db).collection, records),
    insert(logBodiesPackModel(db).collection, packs),
  ]);
  for (const result of results) {
    if (result.status === 'rejected' && !isDuplicateBatch(result.reason)) throw result.reason;
  }
  if (results[1].status === 'rejected') await mergePacks(db, packs);
}

type Collection = ReturnType<typeof logModel>['collection'];
type Documents = Parameters<Collection['insertMany']>[0];

async function insert(collection: Collection, documents: object[]): Promise<void> {
  if (documents.length > 0) await collection.insertMany(documents as Documents, { ordered: false });
}

function packsOf(entries: readonly LogEntry[]): LogBodiesPack[] {
  const packs = new Map<string, LogBodiesPack>();
  for (const { record, bodies } of entries) {
    if (!bodies || record.bodiesId === null) continue;
    let pack = packs.get(record.bodiesId);
    if (!pack) {
      pack = newPack(record.bodiesId, record, bodies);
      packs.set(pack._id, pack);
    }
    const { expiresAt: _, ...messages } = bodies;
    pack.entries[record._id] = JSON.stringify(messages);
  }
  return [...packs.values()];
}

const newPack = (id: string, record: LogRecord, { expiresAt }: LogBodies): LogBodiesPack => ({
  _id: id,
  organisationId: record.organisationId,
  workspaceId: record.workspaceId,
  createdAt: record.createdAt,
  expiresAt,
  entries: {},
});

/** A replay may cut its batches elsewhere, so that a pack which is there already lacks some of its entries. */
async function mergePacks(db: Connection, packs: LogBodiesPack[]): Promise<void> {
  for (const { _id, entries } of packs) {
    const members = Object.entries(entries).map(([id, text]) => [`entries.${id}`, text]);
    await logBodiesPackModel(db).collection.updateOne({ _id } as object, {
      $set: Object.fromEntries(members),
    });
  }
}
