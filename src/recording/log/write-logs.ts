import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Binary, type Collection, type Db } from 'mongodb';
import { duplicateIndexes, isDuplicateBatch } from '../../storage/duplicates.ts';
import type { Event } from '../../storage/events/index.ts';
import {
  LOG_BODIES_COLLECTION,
  LOGS_COLLECTION,
  type LogBodies,
  type LogBodiesPack,
  type LogEntry,
  type LogRecord,
} from './record.ts';

/**
 * Stores a batch of logs as they are: an unordered insert of the records, one of the packs of their bodies.
 * What is there already stays as it is, so that a batch may be written again after an unclear failure. Roll-ups do not
 * know of it: that is the log writer's work.
 */
export async function writeLogs(db: Db, entries: readonly LogEntry[]): Promise<void> {
  const records = entries.map(({ record }) => record);
  const results = await Promise.allSettled([insertRecords(db, records), insertBodies(db, entries)]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Answers the records that were there already. Rejects when it is not clear which are there now. */
export async function insertRecords(db: Db, records: readonly LogRecord[]): Promise<LogRecord[]> {
  try {
    // Nulls included: copies without them would lose the shape that makes encoding fast.
    await insert(db.collection<LogRecord>(LOGS_COLLECTION), records);
    return [];
  } catch (error) {
    if (!isDuplicateBatch(error)) throw error;
    return duplicateIndexes(error).flatMap((index) => records[index] ?? []);
  }
}

export async function insertBodies(db: Db, entries: readonly LogEntry[]): Promise<void> {
  const packs = packsOf(entries);
  try {
    await insert(packsIn(db), packs);
  } catch (error) {
    if (!isDuplicateBatch(error)) throw error;
    await mergePacks(db, packs);
  }
}

/** What subscribers are told once a batch is stored: one event a workspace. */
export function logEvents(entries: readonly LogEntry[]): Event[] {
  const events = new Map<string, Event>();
  for (const { record } of entries) {
    const { _id, organisationId, workspaceId } = record;
    const event = events.get(workspaceId);
    if (event) event.ids.push(_id);
    else events.set(workspaceId, { kind: 'log', organisationId, workspaceId, ids: [_id] });
  }
  return [...events.values()];
}

const packsIn = (db: Db) => db.collection<LogBodiesPack>(LOG_BODIES_COLLECTION);

async function insert<T extends { _id: string }>(
  collection: Collection<T>,
  documents: readonly T[],
): Promise<void> {
  type Documents = Parameters<typeof collection.insertMany>[0];
  if (documents.length > 0)
    await collection.insertMany(documents as unknown as Documents, { ordered: false });
}

type Messages = Omit<LogBodies, 'expiresAt'>;

function packsOf(entries: readonly LogEntry[]): LogBodiesPack[] {
  const members = new Map<
    string,
    { first: LogRecord; expiresAt: Date | null; logs: Record<string, Messages> }
  >();
  for (const { record, bodies } of entries) {
    if (!bodies || record.bodiesId === null) continue;
    const { expiresAt, ...messages } = bodies;
    let pack = members.get(record.bodiesId);
    if (!pack) {
      pack = { first: record, expiresAt, logs: {} };
      members.set(record.bodiesId, pack);
    }
    pack.logs[record._id] = messages;
  }
  return [...members].map(([_id, { first, expiresAt, logs }]) => ({
    _id,
    organisationId: first.organisationId,
    workspaceId: first.workspaceId,
    createdAt: first.createdAt,
    expiresAt,
    entries: new Binary(compress(logs)),
  }));
}

// Requests of one workspace look alike: together they shrink to a fraction, even at the fastest level.
const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The headers and bodies of a pack as they are stored. */
export const compress = (logs: Record<string, Messages>): Buffer =>
  zstdCompressSync(JSON.stringify(logs), fastest);

/** The headers and bodies of a pack, by the log's id. */
export const unpack = ({ entries }: LogBodiesPack): Record<string, Messages> =>
  JSON.parse(zstdDecompressSync(entries.buffer).toString('utf8')) as Record<string, Messages>;

/** A replay may cut its batches elsewhere, so that a pack which is there already lacks some of its entries. */
async function mergePacks(db: Db, packs: LogBodiesPack[]): Promise<void> {
  for (const pack of packs) {
    const stored = await packsIn(db).findOne({ _id: pack._id });
    if (!stored) continue;
    const entries = new Binary(compress({ ...unpack(stored), ...unpack(pack) }));
    await packsIn(db).updateOne({ _id: pack._id }, { $set: { entries } });
  }
}
