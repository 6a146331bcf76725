import type { Collection, Db } from 'mongodb';
import { isDuplicateBatch } from '../storage/duplicates.ts';
import {
  LOG_BODIES_COLLECTION,
  LOGS_COLLECTION,
  type LogBodies,
  type LogBodiesPack,
  type LogEntry,
  type LogRecord,
} from './log-record.ts';

/**
 * Stores a batch of logs as they are: an unordered insert of the records, one of the packs of their bodies.
 * What is there already stays as it is, so that a batch may be written again after an unclear failure.
 */
export async function writeLogs(db: Db, entries: readonly LogEntry[]): Promise<void> {
  // Nulls included: copies without them would lose the shape that makes encoding fast.
  const records = entries.map(({ record }) => record);
  const packs = packsOf(entries);
  const results = await Promise.allSettled([
    insert(db.collection<LogRecord>(LOGS_COLLECTION), records),
    insert(packsIn(db), packs),
  ]);
  for (const result of results) {
    if (result.status === 'rejected' && !isDuplicateBatch(result.reason)) throw result.reason;
  }
  if (results[1].status === 'rejected') await mergePacks(db, packs);
}

const packsIn = (db: Db) => db.collection<LogBodiesPack>(LOG_BODIES_COLLECTION);

async function insert<T extends { _id: string }>(collection: Collection<T>, documents: T[]): Promise<void> {
  type Documents = Parameters<typeof collection.insertMany>[0];
  if (documents.length > 0)
    await collection.insertMany(documents as unknown as Documents, { ordered: false });
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
async function mergePacks(db: Db, packs: LogBodiesPack[]): Promise<void> {
  for (const { _id, entries } of packs) {
    const members = Object.entries(entries).map(([id, text]) => [`entries.${id}`, text]);
    await packsIn(db).updateOne({ _id }, { $set: Object.fromEntries(members) });
  }
}
