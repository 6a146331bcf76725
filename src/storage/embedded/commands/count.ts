import { decode } from '../bson/decode.ts';
import { badValue } from '../errors.ts';
import { type Collation, parseCollation } from '../query/collation.ts';
import { compileFilter } from '../query/filter.ts';
import { collectValues, parsePath } from '../query/path.ts';
import { Selected, type Selection } from '../query/select.ts';
import { memoryExceeded, memoryLimit } from '../query/sort.ts';
import { encodeKey } from '../value/key-encoding.ts';
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
  const values = new Distinct(collation);
  const path = parsePath(key);
  const wanted = new Set([path[0] as string]);
  const hint = body.hint === undefined ? {} : { hint: body.hint };
  const selected = new Selected(store.database, collection, { filter, collation, ...hint });
  if (selected.long) request.pace.move();
  for await (const chunk of selected.paced(request.pace)) {
    for (const { body: bytes } of chunk) {
      const found: unknown[] = [];
      collectValues(decode(bytes, wanted), path, 0, undefined, found);
      for (const value of found) if (value !== undefined) values.add(value);
    }
  }
  return { values: values.list, ok: 1 };
}

/** Values that differ in the BSON sense, by their encoded keys. */
class Distinct {
  readonly list: unknown[] = [];
  readonly #seen = new Set<string>();
  readonly #collation: Collation | null;
  #size = 0;

  constructor(collation: Collation | null) {
    this.#collation = collation;
  }

  add(value: unknown): void {
    const { bytes } = encodeKey([value], [false], this.#collation?.fold);
    const name = bytes.toString('latin1');
    if (this.#seen.has(name)) return;
    this.#size += name.length * 2 + 50;
    if (this.#size > memoryLimit) throw memoryExceeded('distinct');
    this.#seen.add(name);
    this.list.push(value);
  }
}

export const countCommands: Record<string, ReadCommand> = {
  count: { fields: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'], read: count },
  distinct: { fields: ['key', 'query', 'hint', 'collation'], read: distinct },
};
