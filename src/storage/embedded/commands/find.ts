import { calculateObjectSize } from 'bson';
import { decode } from '../bson/decode.ts';
import { encodeCursorReply } from '../bson/encode.ts';
import { badValue, CommandError, notImplemented } from '../errors.ts';
import type { Pace } from '../pace.ts';
import type { DocumentQuery } from '../plan/document-query.ts';
import { Selected } from '../plan/select.ts';
import { compileFilter } from '../query/filter.ts';
import { collectValues, parsePath } from '../query/path.ts';
import { compileProjection, compileStoredProjection, type ProjectionContext } from '../query/projection.ts';
import { equalityKey } from '../value/key-encoding.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';
import {
  collectionName,
  commandFields,
  countField,
  documentField,
  flagField,
  parseSelection,
  type ReadCommand,
  type ReadRequest,
} from './command.ts';
import { defaultBatch, openCursor } from './cursor.ts';

/** A selection made ready; null, though checked, when its collection is not there. */
function select(request: ReadRequest, selection: DocumentQuery): Selected | null {
  const { store, database } = request;
  const collection = store.catalogue.find(database, collectionName(request));
  if (collection) return new Selected(store.database, collection, selection);
  compileFilter(selection.filter, { variables: selection.variables });
  return null;
}

const refused =
  'min:object max:object returnKey:bool showRecordId:bool tailable:bool awaitData:bool oplogReplay:flag';

function refuseOptions(body: Document): void {
  for (const word of refused.split(' ')) {
    const [option = ''] = word.split(':');
    const value = body[option] ?? false;
    if (value === false || (isDocument(value) && Object.keys(value).length === 0)) continue;
    if (option === 'tailable') throw badValue('tailable cursor requested on non capped collection');
    throw notImplemented(`the find option '${option}' is not supported`);
  }
}

async function find(request: ReadRequest): Promise<Buffer> {
  const { database, body, pace } = request;
  refuseOptions(body);
  const selection = parseSelection(body, 'filter');
  const projection = storedProjection(documentField(body, 'projection'), selection);
  const namespace = `${database}.${collectionName(request)}`;
  const selected = select(request, selection);
  if (!selected) return encodeCursorReply('firstBatch', [], 0n, namespace);
  if (selected.long) pace.move();
  const batchSize = countField(body, 'batchSize');
  const { limit } = selection;
  const single =
    flagField(body, 'singleBatch') ||
    (asNumber(body.limit) ?? 0) < 0 ||
    (limit > 0 && limit <= (batchSize ?? defaultBatch));
  return openCursor(request, namespace, bodies(selected, projection, pace), batchSize, single);
}

/** The projection of a find or a findAndModify; null when documents are given as they are. */
const projectionOf =
  <T>(compile: (spec: Document, context: ProjectionContext) => T) =>
  (spec: Document | undefined, { filter, collation, variables }: DocumentQuery): T | null => {
    if (!spec || Object.keys(spec).length === 0) return null;
    return compile(spec, { find: true, filter, fold: collation?.fold, variables });
  };

export const findProjection = projectionOf(compileProjection);
const storedProjection = projectionOf(compileStoredProjection);

async function* bodies(
  selected: Selected,
  projection: ((body: Buffer) => Buffer) | null,
  pace: Pace,
): AsyncGenerator<Buffer[]> {
  for await (const matches of selected.paced(pace)) {
    yield matches.map(({ body }) => (projection ? projection(body) : body));
  }
}

async function count(request: ReadRequest): Promise<Document> {
  const selected = select(request, parseSelection(request.body, 'query'));
  if (!selected) return { n: 0, ok: 1 };
  const quick = selected.countQuickly();
  if (quick !== null) return { n: quick, ok: 1 };
  if (selected.long) request.pace.move();
  let n = 0;
  for await (const chunk of selected.paced(request.pace)) n += chunk.length;
  return { n, ok: 1 };
}

/** What all values of a distinct may take in the reply. */
const largestDistinct = 16 * 1024 * 1024;

async function distinct(request: ReadRequest): Promise<Document> {
  const { key } = request.body;
  if (typeof key !== 'string' || key === '') throw badValue("BSON field 'distinct.key' must not be empty");
  const selection = parseSelection(request.body, 'query');
  const selected = select(request, selection);
  if (!selected) return { values: [], ok: 1 };
  if (selected.long) request.pace.move();
  const values = new Map<string | number, unknown>();
  let size = 0;
  const path = parsePath(key);
  const wanted = new Set([path[0] as string]);
  for await (const chunk of selected.paced(request.pace)) {
    for (const { body } of chunk) {
      const found: unknown[] = [];
      collectValues(decode(body, wanted), path, 0, undefined, found);
      for (const value of found) {
        const same = equalityKey(value, selection.collation?.fold);
        if (value === undefined || values.has(same)) continue;
        size += calculateObjectSize({ value });
        if (size > largestDistinct) throw new CommandError(17217, 'distinct too big, 16mb cap');
        values.set(same, value);
      }
    }
  }
  return { values: [...values.values()], ok: 1 };
}

export const findCommands: Record<string, ReadCommand> = {
  find: {
    fields: commandFields(
      'find',
      `filter:object sort:object projection:object hint skip:number limit:number batchSize:number singleBatch:bool noCursorTimeout:bool allowPartialResults:bool collation:object allowDiskUse:bool let:object ${refused}`,
    ),
    read: find,
  },
  count: {
    fields: commandFields(
      'count',
      'query:object limit:number skip:number hint collation:object fields:object',
    ),
    read: count,
  },
  distinct: {
    fields: commandFields('distinct', 'key:string! query:object hint collation:object'),
    read: distinct,
  },
};
