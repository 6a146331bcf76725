import { UUID } from 'bson';
import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { CommandError } from '../errors.ts';
import { asNumber, type Document } from '../value/types.ts';
import { asBuffer, type Database } from './database.ts';
import { type Index, indexFromSpec } from './index-spec.ts';

/** A collection with everything that a command needs to know about it; the catalogue keeps them all in memory. */
export type Collection = {
  id: number;
  database: string;
  name: string;
  namespace: string;
  uuid: UUID;
  options: Document;
  indexes: Index[];
  count: number;
  nextRecord: number;
  dropped: boolean;
};

type StoredIndex = { id: number; spec: Document; multikey: boolean; lossy: boolean };
type StoredCollection = {
  database: string;
  name: string;
  uuid: string;
  options: Document;
  indexes: StoredIndex[];
};

/** Collections with this beginning are results on their way; those that a crash left are dropped at the start. */
export const temporaryPrefix = 'tmp.agg_out.';

/** What a drop or a broken-off index build leaves behind, to be cleared in the background. */
export type Trash = { name: string; kind: 'index' | 'collection'; id: number };

/**
 * Collections and indexes, in memory and in the catalogue table. Every change is written inside the transaction of
 * the moment; when that transaction fails, `reload` brings memory back to what is on disk.
 */
export class Catalogue {
  readonly #database: Database;
  #collections = new Map<string, Collection>();
  #dirtyCounts = new Set<Collection>();
  #nextId = 1;
  #undo: (() => void)[] = [];
  #structural = false;

  constructor(database: Database) {
    this.#database = database;
    this.reload();
  }

  reload(): void {
    const previous = this.#collections;
    this.#collections = new Map();
    this.#dirtyCounts.clear();
    const rows = this.#database.all<[string, Uint8Array]>('SELECT name, body FROM catalogue');
    const counts = new Map<string, number>();
    for (const [name, body] of rows)
      if (name.startsWith('count/')) counts.set(name.slice(6), readNumber(body));
    for (const [name, body] of rows) {
      if (name === 'next') this.#nextId = readNumber(body);
      if (!name.startsWith('collection/')) continue;
      const collection = this.#parse(Number(name.slice(11)), body, counts.get(name.slice(11)) ?? 0);
      // Commands in flight hold on to the object, so an existing one is refreshed rather than replaced.
      const known = previous.get(collection.namespace);
      if (known?.id === collection.id) {
        const building = known.indexes.filter((index) => index.building);
        Object.assign(known, collection, { indexes: [...collection.indexes, ...building] });
        this.#collections.set(collection.namespace, known);
      } else {
        this.#collections.set(collection.namespace, collection);
      }
    }
    for (const known of previous.values()) {
      if (this.#collections.get(known.namespace) !== known) known.dropped = true;
    }
  }

  #parse(id: number, body: Uint8Array, count: number): Collection {
    const stored = decode(asBuffer(body)) as StoredCollection;
    const [last] = this.#database.all<[number | null]>(
      'SELECT max(record) FROM documents WHERE collection = ?',
      id,
    );
    return {
      id,
      database: stored.database,
      name: stored.name,
      namespace: `${stored.database}.${stored.name}`,
      uuid: new UUID(stored.uuid),
      options: stored.options,
      indexes: stored.indexes.map((index) =>
        Object.assign(indexFromSpec(Number(index.id), index.spec), {
          multikey: index.multikey,
          lossy: index.lossy,
        }),
      ),
      count,
      nextRecord: (last?.[0] ?? 0) + 1,
      dropped: false,
    };
  }

  /** Starts a statement; `undo` can then bring memory back to this moment. */
  begin(): void {
    this.#undo = [];
    this.#structural = false;
  }

  /** Follows a rolled-back statement: its counts are taken back, its changes of structure are re-read from disk. */
  undo(): void {
    for (const step of this.#undo.reverse()) step();
    if (!this.#structural) return;
    this.saveCounts();
    this.reload();
  }

  find(database: string, name: string): Collection | undefined {
    return this.#collections.get(`${database}.${name}`);
  }

  /** The collections of one database, or all of them. */
  list(database?: string): Collection[] {
    const all = [...this.#collections.values()];
    return database === undefined ? all : all.filter((collection) => collection.database === database);
  }

  /** A number that was never used before, for a collection or an index. */
  allocateId(): number {
    const id = this.#nextId++;
    this.#write('next', { value: this.#nextId });
    return id;
  }

  create(database: string, name: string, options: Document = {}): Collection {
    checkNamespace(database, name);
    const collection: Collection = {
      id: this.allocateId(),
      database,
      name,
      namespace: `${database}.${name}`,
      uuid: new UUID(),
      options,
      indexes: [indexFromSpec(this.allocateId(), { v: 2, key: { _id: 1 }, name: '_id_' })],
      count: 0,
      nextRecord: 1,
      dropped: false,
    };
    this.#collections.set(collection.namespace, collection);
    this.save(collection);
    return collection;
  }

  /** Writes a collection's row; indexes still being built are left out, so that a crash forgets them. */
  save(collection: Collection): void {
    if (collection.dropped)
      throw new CommandError(276, `collection ${collection.namespace} was dropped meanwhile`);
    const indexes = collection.indexes.filter((index) => !index.building);
    const stored: StoredCollection = {
      database: collection.database,
      name: collection.name,
      uuid: collection.uuid.toHexString(),
      options: collection.options,
      indexes: indexes.map(({ id, spec, multikey, lossy }) => ({ id, spec, multikey, lossy })),
    };
    this.#write(`collection/${collection.id}`, stored);
  }

  drop(collection: Collection): void {
    collection.dropped = true;
    this.#collections.delete(collection.namespace);
    this.#dirtyCounts.delete(collection);
    this.#database.run('DELETE FROM catalogue WHERE name = ?', `collection/${collection.id}`);
    this.#database.run('DELETE FROM catalogue WHERE name = ?', `count/${collection.id}`);
    this.addTrash('collection', collection.id);
    for (const index of collection.indexes) this.addTrash('index', index.id);
  }

  rename(collection: Collection, database: string, name: string): void {
    checkNamespace(database, name);
    this.#collections.delete(collection.namespace);
    Object.assign(collection, { database, name, namespace: `${database}.${name}` });
    this.#collections.set(collection.namespace, collection);
    this.save(collection);
  }

  changeCount(collection: Collection, difference: number): void {
    collection.count += difference;
    this.#dirtyCounts.add(collection);
    this.#undo.push(() => {
      collection.count -= difference;
    });
  }

  /** Writes the counts that changed; called once per transaction. */
  saveCounts(): void {
    for (const collection of this.#dirtyCounts)
      this.#write(`count/${collection.id}`, { value: collection.count });
    this.#dirtyCounts.clear();
  }

  addTrash(kind: Trash['kind'], id: number): void {
    this.#write(`trash/${kind}/${id}`, {});
  }

  removeTrash(trash: Trash | { kind: Trash['kind']; id: number }): void {
    this.#database.run('DELETE FROM catalogue WHERE name = ?', `trash/${trash.kind}/${trash.id}`);
  }

  trash(): Trash[] {
    const rows = this.#database.all<[string]>("SELECT name FROM catalogue WHERE name LIKE 'trash/%'");
    return rows.map(([name]) => {
      const [, kind, id] = name.split('/');
      return { name, kind: kind as Trash['kind'], id: Number(id) };
    });
  }

  #write(name: string, body: Document): void {
    if (!name.startsWith('count/')) this.#structural = true;
    this.#database.run('INSERT OR REPLACE INTO catalogue (name, body) VALUES (?, ?)', name, encode(body));
  }
}

const readNumber = (body: Uint8Array): number => Number(asNumber(decode(asBuffer(body)).value));

function checkNamespace(database: string, name: string): void {
  const namespace = `${database}.${name}`;
  if (
    name === '' ||
    name.startsWith('.') ||
    name.endsWith('.') ||
    /[$\0]/.test(name) ||
    /[/\\. "$\0]/.test(database)
  ) {
    throw new CommandError(73, `Invalid namespace specified '${namespace}'`);
  }
  if (name.startsWith('system.')) throw new CommandError(73, `Invalid system namespace: ${namespace}`);
  if (Buffer.byteLength(namespace) > 255)
    throw new CommandError(73, `Fully qualified namespace is too long: ${namespace}`);
}
