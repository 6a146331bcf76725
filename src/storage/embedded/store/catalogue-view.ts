import { decode } from '../bson/decode.ts';
import { asBuffer } from '../bson/raw.ts';
import { asNumber } from '../value/types.ts';
import { type Collection, readCollection } from './collection.ts';
import type { Database } from './file/database.ts';

/** The collections as the catalogue table has them, kept in memory for those who only read. */
export class CatalogueView {
  protected readonly source: Database;
  protected collections = new Map<string, Collection>();

  constructor(source: Database) {
    this.source = source;
    this.load();
  }

  /** Brings memory to what is on disk. */
  protected load(): void {
    const previous = this.collections;
    this.collections = new Map();
    const rows = this.source.all<[string, Uint8Array]>(
      "SELECT name, body FROM catalogue WHERE name LIKE 'collection/%'",
    );
    for (const [name, body] of rows) {
      const id = Number(name.slice('collection/'.length));
      const collection = readCollection(id, body, this.storedCount(id));
      // Commands in flight hold on to the object, so an existing one is refreshed rather than replaced.
      const known = previous.get(collection.namespace);
      if (known?.id === collection.id) {
        const building = known.indexes.filter((index) => index.building);
        const indexes = [...collection.indexes, ...building];
        Object.assign(known, collection, { indexes, watches: known.watches });
        this.collections.set(collection.namespace, known);
      } else {
        this.collections.set(collection.namespace, collection);
      }
    }
    for (const known of previous.values()) {
      if (this.collections.get(known.namespace) !== known) known.dropped = true;
    }
  }

  find(database: string, name: string): Collection | undefined {
    return this.collections.get(`${database}.${name}`);
  }

  /** The collections of one database, or all of them. */
  list(database?: string): Collection[] {
    const all = [...this.collections.values()];
    return database === undefined ? all : all.filter((collection) => collection.database === database);
  }

  /** How many documents the last transaction left in a collection. */
  storedCount(id: number): number {
    return this.readNumber(`count/${id}`) ?? 0;
  }

  protected readNumber(name: string): number | null {
    const [row] = this.source.all<[Uint8Array]>('SELECT body FROM catalogue WHERE name = ?', name);
    return row ? asNumber(decode(asBuffer(row[0])).value) : null;
  }
}
