import { decode } from '../bson/decode.ts';
import { encode, encodeCursorReply } from '../bson/encode.ts';
import { Cursor, laneOf } from '../cursors.ts';
import { badValue, CommandError } from '../errors.ts';
import { asNumber, type Document } from '../value/types.ts';
import { countField, documentField, fieldSet, type ReadCommand, type ReadRequest } from './command.ts';

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
  const cursor = new Cursor(namespace, source, request.pace);
  cursor.patient = request.body.noCursorTimeout === true;
  const batch = await cursor.take(batchSize ?? defaultBatch);
  if (single && !cursor.exhausted) await cursor.close();
  else if (!cursor.exhausted) request.store.cursors.add(cursor);
  return encodeCursorReply('firstBatch', batch, cursor.id, namespace);
}

/** Sends a list that is already there as a cursor, in batches of the size that the command asks for. */
export function sendList(
  request: ReadRequest,
  namespace: string,
  documents: readonly Document[],
): Promise<Buffer> {
  const options = documentField(request.body, 'cursor') ?? {};
  async function* source(): AsyncGenerator<Buffer[]> {
    yield documents.map(encode);
  }
  return openCursor(request, namespace, source(), countField(options, 'batchSize'));
}

const cursorId = (id: unknown): bigint =>
  typeof id === 'bigint' ? id : BigInt(Math.trunc(asNumber(id) ?? 0));

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
  if (!Array.isArray(body.cursors)) throw badValue("BSON field 'killCursors.cursors' must be an array");
  const ids = body.cursors.map(cursorId);
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
  getMore: { fields: fieldSet('collection batchSize'), read: getMore },
  killCursors: { fields: fieldSet('cursors'), read: killCursors },
};
