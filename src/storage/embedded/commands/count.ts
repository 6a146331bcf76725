import { decode } from '../bson/decode.ts';
import { badValue } from '../errors.ts';
import { parseCollation } from '../query/collation.ts';
import { compileFilter } from '../query/filter.ts';
import { collectValues, parsePath } from '../query/path.ts';
import { Selected, type Selection } from '../query/select.ts';
import { memoryExceeded, memoryLimit } from '../query/sort.ts';
import { equalityKey } from '../value/key-encoding.ts';
import { asNumber, type Document } from '../value/types.ts';
import { collectionName, countField, documentField, type ReadCommand, type ReadRequest } from './command.ts';

async function count(request: ReadRequest): Promise<Document> {
  const { store, database, body } = request;
  const collection = store.catalogue.find(database, collectionName(request));
  const filter = documentField(body, 'query') ?? {};
  const limit = Math.abs(asNumber(body.limit) ?? 0);
  const skip = countField(body, 'skip') ?? 0;
  const collation = parseCollation(body.collation);
  compileFilter(filter);
  if (!collection) return { n: 0, ok: 1 };
  const hint = body.hint === undefined ? {} : { hint: body.hint };
  const selection: Selection = { filter, skip, limit, collation, ...hint };
  const selected = new Selected(store.database, collection, selection);
  const quick = selected.countQuickly();
  if (quick !== null) return { n: quick, ok: 1 };
  if (selected.long) request.pace.move();
  let n = 0;
  for await (const chunk of selected.paced(request.pace)) n += chunk.length;
  return { n, ok: 1 };
}

async function distinct(request: ReadRequest): Promise<Document> {
  const { store, database, body } = request;
  const collection = store.catalogue.find(database, collectionName(request));
  const { key } = body;
  if (typeof key !== 'string' || key === '')
    throw badValue("BSON field 'distinct.key' must be a non-empty string");
  const filter = documentField(body, 'query') ?? {};
  const collation = parseCollation(body.collation);
  compileFilter(filter);
  if (!collection) return { values: [], ok: 1 };
  const values = new Map<string | number, unknown>();
  let size = 0;
  const path = parsePath(key);
  const wanted = new Set([path[0] as string]);
  const hint = body.hint === undefined ? {} : { hint: body.hint };
  const selected = new Selected(store.database, collection, { filter, collation, ...hint });
  if (selected.long) request.pace.move();
  for await (const chunk of selected.paced(request.pace)) {
    for (const { body: bytes } of chunk) {
      const found: unknown[] = [];
      collectValues(decode(bytes, wanted), path, 0, undefined, found);
      for (const value of found) {
        if (value === undefined) continue;
        const key = equalityKey(value, collation?.fold);
        if (values.has(key)) continue;
        size += String(key).length * 2 + 50;
        if (size > memoryLimit) throw memoryExceeded('distinct');
        values.set(key, value);
      }
    }
  }
  return { values: [...values.values()], ok: 1 };
}

export const countCommands: Record<string, ReadCommand> = {
  count: { fields: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'], read: count },
  distinct: { fields: ['key', 'query', 'hint', 'collation'], read: distinct },
};
