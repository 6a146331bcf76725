import { decode } from '../bson/decode.ts';
import { encode, encodeCursorReply } from '../bson/encode.ts';
import { Cursor } from '../cursors.ts';
import { badValue, CommandError, notImplemented } from '../errors.ts';
import type { Pace } from '../pace.ts';
import { parseCollation } from '../query/collation.ts';
import { compileFilter } from '../query/filter.ts';
import { compileProjection, type Projection } from '../query/projection.ts';
import { Selected } from '../query/select.ts';
import { parseSort } from '../query/sort.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';
import {
  type Command,
  collectionName,
  countField,
  documentField,
  flagField,
  letVariables,
  type Request,
} from './command.ts';

const defaultBatch = 101;

/** Sends the first batch, and keeps the cursor when there is more. */
export async function openCursor(
  request: Request,
  namespace: string,
  source: AsyncIterable<Buffer[]>,
  batchSize: number | undefined,
  single: boolean,
): Promise<Buffer> {
  const cursor = new Cursor(namespace, source, request.pace);
  cursor.patient = request.body.noCursorTimeout === true;
  const batch = await cursor.take(batchSize ?? defaultBatch);
  if (single && !cursor.exhausted) await cursor.close();
  else if (!cursor.exhausted) request.store.cursors.add(cursor);
  return encodeCursorReply('firstBatch', batch, cursor.exhausted ? 0n : cursor.id, namespace);
}

const refused = ['min', 'max', 'returnKey', 'showRecordId', 'tailable', 'awaitData', 'oplogReplay'];

function refuseOptions(body: Document): void {
  for (const option of refused) {
    const value = body[option];
    if (value === undefined || value === false || (isDocument(value) && Object.keys(value).length === 0))
      continue;
    if (option === 'tailable')
      throw badValue('error processing query: tailable cursor requested on non capped collection');
    throw notImplemented(`the find option '${option}' is not supported`);
  }
}

async function find(request: Request): Promise<Buffer> {
  const { store, database, body } = request;
  const name = collectionName(request);
  refuseOptions(body);
  const signedLimit = asNumber(body.limit) ?? 0;
  const limit = Math.abs(signedLimit);
  const filter = documentField(body, 'filter') ?? {};
  const collation = parseCollation(body.collation);
  const variables = letVariables(body);
  const projection = findProjection(body, filter, collation?.fold, variables);
  const selection = {
    filter,
    sort: parseSort(body.sort),
    skip: countField(body, 'skip') ?? 0,
    limit,
    collation,
    ...(body.hint === undefined ? {} : { hint: body.hint }),
    ...(variables ? { variables } : {}),
  };
  const namespace = `${database}.${name}`;
  const collection = store.catalogue.find(database, name);
  if (!collection) {
    compileFilter(filter, variables ? { variables } : {});
    return encodeCursorReply('firstBatch', [], 0n, namespace);
  }
  const selected = new Selected(store.database, collection, selection);
  const source = bodies(selected, projection, request.pace);
  const batchSize = countField(body, 'batchSize');
  const single =
    flagField(body, 'singleBatch') || signedLimit < 0 || (limit > 0 && limit <= (batchSize ?? defaultBatch));
  return openCursor(request, namespace, source, batchSize, single);
}

function findProjection(
  body: Document,
  filter: Document,
  fold: ((text: string) => string) | undefined,
  variables?: Document,
): Projection | null {
  const spec = documentField(body, 'projection');
  if (!spec || Object.keys(spec).length === 0) return null;
  const context = { ...(fold ? { fold } : {}), ...(variables ? { variables } : {}) };
  return compileProjection(spec, { ...context, find: true, filter: compileFilter(filter, context) });
}

async function* bodies(
  selected: Selected,
  projection: Projection | null,
  pace: Pace,
): AsyncGenerator<Buffer[]> {
  for await (const matches of selected.paced(pace)) {
    yield matches.map(({ body }) => (projection ? encode(projection(decode(body))) : body));
  }
}

async function getMore(request: Request): Promise<Buffer> {
  const { store, database, body } = request;
  const { getMore: id, collection } = body;
  const key = typeof id === 'bigint' ? id : BigInt(Math.trunc(asNumber(id) ?? 0));
  const cursor = store.cursors.get(key, `${database}.${String(collection)}`);
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

async function killCursors(request: Request): Promise<Document> {
  const ids = request.body.cursors;
  if (!Array.isArray(ids)) throw badValue("BSON field 'killCursors.cursors' must be an array");
  const cursorsKilled: unknown[] = [];
  const cursorsNotFound: unknown[] = [];
  for (const id of ids) {
    const removed = await request.store.cursors.remove(
      typeof id === 'bigint' ? id : BigInt(asNumber(id) ?? 0),
    );
    (removed ? cursorsKilled : cursorsNotFound).push(id);
  }
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
}

export const findCommands: Record<string, Command> = {
  find: {
    fields: [
      'filter',
      'sort',
      'projection',
      'hint',
      'skip',
      'limit',
      'batchSize',
      'singleBatch',
      'max',
      'min',
      'returnKey',
      'showRecordId',
      'tailable',
      'oplogReplay',
      'noCursorTimeout',
      'awaitData',
      'allowPartialResults',
      'collation',
      'allowDiskUse',
      'let',
    ],
    run: find,
  },
  getMore: { fields: ['collection', 'batchSize'], run: getMore },
  killCursors: { fields: ['cursors'], run: killCursors },
};
