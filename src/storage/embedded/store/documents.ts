import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { asBuffer, changedFields, findElement, validate, walkElements, withLeadingId } from '../bson/raw.ts';
import { CommandError } from '../errors.ts';
import type { Document } from '../value/types.ts';
import type { WriterCatalogue } from './catalogue.ts';
import type { Collection } from './collection.ts';
import { type Database, tableOf } from './file/database.ts';
import { duplicateKey } from './indexes/duplicate-key.ts';
import { type IndexKeys, indexKeys } from './indexes/index-keys.ts';
import type { Index } from './indexes/index-spec.ts';

/** The largest document, and what a server allows on top for its own bookkeeping. */
const maximumSize = 16 * 1024 * 1024;

const findEntry = 'SELECT record FROM entries WHERE idx = ? AND key = ? LIMIT 2';
const addEntry = 'INSERT OR IGNORE INTO entries (idx, key, record) VALUES (?, ?, ?)';
const removeEntry = 'DELETE FROM entries WHERE idx = ? AND key = ? AND record = ?';

const fieldsOfIndexes = new WeakMap<Index[], { fields: ReadonlySet<string> | null }>();

/** The top-level fields that a collection's indexes look at; null when some index needs the whole document. */
export function indexedFields(indexes: Index[]): ReadonlySet<string> | null {
  const known = fieldsOfIndexes.get(indexes);
  if (known) return known.fields;
  const whole = indexes.some(({ roots }) => roots === null);
  const fields = whole ? null : new Set(['_id', ...indexes.flatMap(({ roots }) => [...(roots ?? [])])]);
  fieldsOfIndexes.set(indexes, { fields });
  return fields;
}

type IndexChange = { index: Index; removed: Buffer[]; added: IndexKeys };

/** Writes documents together with their index entries. All methods run inside a transaction of `Writes`. */
export class Documents {
  readonly #database: Database;
  readonly #catalogue: WriterCatalogue;

  constructor(database: Database, catalogue: WriterCatalogue) {
    this.#database = database;
    this.#catalogue = catalogue;
  }

  read(collection: Collection, record: number): Buffer | null {
    const sql = `SELECT body FROM ${tableOf(collection)} WHERE record = ?`;
    const row = this.#database.prepare(sql).get(record) as unknown as [Uint8Array] | undefined;
    return row ? asBuffer(row[0]) : null;
  }

  /** The bytes of a collection, guessed from a sample when there are many documents. */
  size(collection: Collection): number {
    const sql = `SELECT count(*), sum(length(body)) FROM (SELECT body FROM ${tableOf(collection)} LIMIT 1000)`;
    const [row] = this.#database.all<[number, number | null]>(sql);
    const [sampled, bytes] = row ?? [0, 0];
    return sampled === 0 ? 0 : Math.round(((bytes ?? 0) / sampled) * collection.count);
  }

  /**
   * Stores the bytes as they came, `_id` in front. Everything is checked before anything is written; `bypass` leaves
   * the collection's validator out of it.
   */
  insert(collection: Collection, bytes: Buffer, bypass = false): void {
    validate(bytes);
    const body = withLeadingId(bytes);
    checkSize(body.length);
    checkId(body);
    if (collection.validator && !bypass) collection.validator(decode(body), null);
    const document = decode(body, indexedFields(collection.indexes));
    const keys = this.#checkedKeys(collection, document, 0);
    const record = collection.nextRecord++;
    this.#database.run(`INSERT INTO ${tableOf(collection)} (record, body) VALUES (?, ?)`, record, body);
    collection.indexes.forEach((index, i) => {
      this.#addEntries(collection, index, keys[i] as IndexKeys, record);
    });
    this.#catalogue.changeCount(collection, 1);
    for (const watch of collection.watches) watch.add(record);
  }

  /** Replaces a stored document; only the index entries that changed are touched. False when nothing changed. */
  replace(collection: Collection, record: number, before: Buffer, after: Buffer, bypass = false): boolean {
    if (before.equals(after)) return false;
    checkSize(after.length);
    if (collection.validator && !bypass) collection.validator(decode(after), decode(before));
    const changes = this.#indexChanges(collection, record, before, after);
    this.#database.run(`UPDATE ${tableOf(collection)} SET body = ? WHERE record = ?`, after, record);
    for (const { index, removed, added } of changes) {
      for (const key of removed) this.#database.run(removeEntry, index.id, key, record);
      this.#addEntries(collection, index, added, record);
    }
    for (const watch of collection.watches) watch.add(record);
    return true;
  }

  /** The entries to remove and to add, found and checked before anything is written. */
  #indexChanges(collection: Collection, record: number, before: Buffer, after: Buffer): IndexChange[] {
    const changed = changedFields(before, after);
    const affected = collection.indexes.filter(
      ({ roots, building }) => building || roots === null || [...roots].some((name) => changed.has(name)),
    );
    if (affected.length === 0) return [];
    const fields = indexedFields(collection.indexes);
    const previous = decode(before, fields);
    const next = decode(after, fields);
    return affected.map((index) => {
      const present = indexKeys(index, previous).keys;
      const wanted = indexKeys(index, next);
      // An index that is being built may lack even the entries that stay the same.
      const missing = index.building ? wanted.keys : without(wanted.keys, present);
      const added = { ...wanted, keys: missing };
      this.#checkUnique(collection, index, added, () => next, record);
      return { index, removed: without(present, wanted.keys), added };
    });
  }

  remove(collection: Collection, record: number, body: Buffer): void {
    const document = decode(body, indexedFields(collection.indexes));
    for (const index of collection.indexes) {
      for (const key of indexKeys(index, document).keys)
        this.#database.run(removeEntry, index.id, key, record);
    }
    this.#database.run(`DELETE FROM ${tableOf(collection)} WHERE record = ?`, record);
    this.#catalogue.changeCount(collection, -1);
    for (const watch of collection.watches) watch.add(record);
  }

  /** Adds entries to an index that is being built. */
  addEntry(collection: Collection, index: Index, keys: IndexKeys, record: number): void {
    const document = (): Document => decode(this.read(collection, record) ?? encode({}));
    this.#checkUnique(collection, index, keys, document, record);
    this.#addEntries(collection, index, keys, record);
  }

  #checkedKeys(collection: Collection, document: Document, record: number): IndexKeys[] {
    return collection.indexes.map((index) => {
      const keys = indexKeys(index, document);
      this.#checkUnique(collection, index, keys, () => document, record);
      return keys;
    });
  }

  #checkUnique(
    collection: Collection,
    index: Index,
    keys: IndexKeys,
    document: () => Document,
    record: number,
  ): void {
    if (!index.unique) return;
    for (const key of keys.keys) {
      const rows = this.#database.all<[number]>(findEntry, index.id, key);
      if (rows.some(([owner]) => owner !== record))
        throw duplicateKey(collection.namespace, index, document());
    }
  }

  #addEntries(collection: Collection, index: Index, keys: IndexKeys, record: number): void {
    if ((keys.multikey && !index.multikey) || (keys.lossy && !index.lossy)) {
      index.multikey ||= keys.multikey;
      index.lossy ||= keys.lossy;
      this.#catalogue.save(collection);
    }
    for (const key of keys.keys) this.#database.run(addEntry, index.id, key, record);
  }
}

/** The keys that are not among the others. */
function without(keys: Buffer[], others: Buffer[]): Buffer[] {
  const names = new Set(others.map((key) => key.toString('latin1')));
  return keys.filter((key) => !names.has(key.toString('latin1')));
}

function checkSize(size: number): void {
  if (size > maximumSize) {
    throw new CommandError(
      10334,
      `BSONObj size: ${size} is invalid. Size must be between 0 and ${maximumSize}(16MB)`,
    );
  }
}

const forbiddenIds: Record<number, string> = { 4: 'array', 6: 'undefined', 11: 'regex' };

function checkId(body: Buffer): void {
  const element = findElement(body, '_id');
  const forbidden = element ? forbiddenIds[element.type] : undefined;
  if (element?.type === 0x03) {
    walkElements(body.subarray(element.valueAt, element.end), ({ nameAt }) => {
      if (body[element.valueAt + nameAt] !== 0x24) return false;
      throw new CommandError(52, "_id fields may not contain '$'-prefixed fields");
    });
  }
  if (forbidden) throw new CommandError(53, `The '_id' value cannot be of type ${forbidden}`);
}
