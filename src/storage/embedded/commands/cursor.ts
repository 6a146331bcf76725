import { decode } from '../bson/decode.ts';
import { encode, encodeCursorReply } from '../bson/encode.ts';
import { Cursor, laneOf } from '../cursors.ts';
import { CommandError, typeMismatch } from '../errors.ts';
import { checkFields, fieldTable } from '../fields.ts';
import { asNumber, type Document } from '../value/types.ts';
import { commandFields, countField, documentField, type ReadCommand, type ReadRequest } from './command.ts';

/** How many documents a first batch has when nothing is said. */
export const defaultBatch = 101;

/** Sends the first batch, and keeps the cursor when there is more and it is not to be the only one. */
export async function openCursor(
  request: ReadRequest,
  namespace: string,
  source: AsyncIterable<Buffer[]>,
  batchSize: number | undefined,
  single = false,
): Promise<Buffer> {
  const { batch, id } = await firstBatch(request, namespace, source, batchSize ?? defaultBatch, single);
  return encodeCursorReply('firstBatch', batch, id, namespace);
}

/** The first batch of a source, and the id of the cursor that has the rest: 0 when there is none. */
export async function firstBatch(
  request: ReadRequest,
  namespace: string,
  source: AsyncIterable<Buffer[]>,
  limit: number | null,
  single = false,
): Promise<{ batch: Buffer[]; id: bigint }> {
  const cursor = new Cursor(namespace, source, request.pace);
  cursor.patient = request.body.noCursorTimeout === true;
  const batch = await cursor.take(limit);
  if (single && !cursor.exhausted) await cursor.close();
  else if (!cursor.exhausted) request.store.cursors.add(cursor);
  return { batch, id: cursor.id };
}

const cursorFields = fieldTable('batchSize:number');

/** The batch size that a command asks for in its field `cursor`. */
export function cursorBatchSize({ name, body }: ReadRequest): number | undefined {
  const options = documentField(body, 'cursor') ?? {};
  checkFields(`${name}.cursor`, options, cursorFields);
  return countField(options, 'batchSize');
}

/** Sends a list that is already there as a cursor, in batches of the size that the command asks for. */
export function sendList(
  request: ReadRequest,
  namespace: string,
  documents: readonly Document[],
): Promise<Buffer> {
  return openCursor(request, namespace, inOneChunk(documents), cursorBatchSize(request));
}

/** A list as the source of a cursor. */
export async function* inOneChunk(documents: readonly Document[]): AsyncGenerator<Buffer[]> {
  yield documents.map(encode);
}

function cursorId(id: unknown): bigint {
  const number = typeof id === 'bigint' ? id : asNumber(id);
  if (typeof number === 'bigint' || Number.isInteger(number)) return BigInt(number ?? 0);
  throw typeMismatch('a cursor id must be a long');
}

async function getMore({ store, database, body, message, client }: ReadRequest): Promise<Buffer> {
  const key = cursorId(body.getMore);
  const lane = laneOf(key);
  if (store.readers?.has(lane)) return store.readers.send(lane, message.bytes, client);
  const cursor = store.cursors.get(key, `${database}.${String(body.collection)}`);
  if (cursor.busy) throw new CommandError(12051, `cursor id ${key} is already in use`);
  cursor.busy = true;
  try {
    const batch = await cursor.take(countField(body, 'batchSize') || null);
    if (cursor.exhausted) await store.cursors.remove(key);
    return encodeCursorReply('nextBatch', batch, cursor.exhausted ? 0n : key, cursor.namespace);
  } catch (error) {
    cursor.busy = false;
    await store.cursors.remove(key);
    throw error;
  } finally {
    cursor.busy = false;
    cursor.lastUsed = Date.now();
  }
}

async function killCursors({ store, body, message, client }: ReadRequest): Promise<Document> {
  const ids = (body.cursors as unknown[]).map(cursorId);
  const killed = new Set<bigint>();
  for (const id of ids) if (await store.cursors.remove(id)) killed.add(id);
  for (const lane of new Set(ids.map(laneOf))) {
    if (!store.readers?.has(lane)) continue;
    const reply = decode(await store.readers.send(lane, message.bytes, client));
    for (const id of reply.cursorsKilled as bigint[]) killed.add(cursorId(id));
  }
  return {
    cursorsKilled: ids.filter((id) => killed.has(id)),
    cursorsNotFound: ids.filter((id) => !killed.has(id)),
    cursorsAlive: [],
    cursorsUnknown: [],
    ok: 1,
  };
}

export const cursorCommands: Record<string, ReadCommand> = {
  getMore: { fields: commandFields('getMore', 'collection:string! batchSize:number'), read: getMore },
  killCursors: { fields: commandFields('killCursors', 'cursors:array!'), read: killCursors },
};
