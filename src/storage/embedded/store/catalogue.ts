import { encode } from '../bson/encode.ts';
import { CommandError } from '../errors.ts';
import type { Document } from '../value/types.ts';
import { CatalogueView } from './catalogue-view.ts';
import { type Collection, describeCollection, emptyCollection } from './collection.ts';
import { tableOf } from './file/database.ts';
import { indexFromSpec } from './indexes/index-spec.ts';

/** Collections with this beginning are results on their way; those that a crash left are dropped at the start. */
export const temporaryPrefix = 'tmp.agg_out.';

/** What a drop or a broken-off index build leaves behind, to be cleared in the background. */
export type Trash = { kind: 'index' | 'collection'; id: number };

/**
 * The writer's catalogue. Every change is written inside the transaction of the moment; when that transaction fails,
 * `reload` brings memory back to what is on disk.
 */
export class WriterCatalogue extends CatalogueView {
  /** Grows with every change that a reader must know before it plans a query. */
  version = 1;
  readonly #dirtyCounts = new Set<Collection>();
  #undo: (() => void)[] = [];
  #structural = false;

  protected override load(): void {
    super.load();
    for (const collection of this.list()) {
      const [row] = this.source.all<[number | null]>(`SELECT max(record) FROM ${tableOf(collection)}`);
      collection.nextRecord = (row?.[0] ?? 0) + 1;
    }
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

  /** Brings memory back to what is on disk after a transaction that failed. */
  reload(): void {
    this.#dirtyCounts.clear();
    this.load();
    this.version += 1;
  }

  /** A number that was never used before, for a collection or an index. */
  allocateId(): number {
    const id = this.readNumber('next') ?? 1;
    this.#write('next', { value: id + 1 });
    return id;
  }

  create(database: string, name: string, options: Document = {}): Collection {
    checkNamespace(database, name);
    const collection = emptyCollection(this.allocateId(), database, name, options);
    collection.indexes = [indexFromSpec(this.allocateId(), { v: 2, key: { _id: 1 }, name: '_id_' })];
    this.source.run(`CREATE TABLE ${tableOf(collection)} (record INTEGER PRIMARY KEY, body BLOB NOT NULL)`);
    this.collections.set(collection.namespace, collection);
    this.save(collection);
    return collection;
  }

  /** Writes a collection's row. */
  save(collection: Collection): void {
    if (collection.dropped)
      throw new CommandError(276, `collection ${collection.namespace} was dropped meanwhile`);
    this.#write(`collection/${collection.id}`, describeCollection(collection));
  }

  drop(collection: Collection): void {
    if (collection.dropped) return;
    collection.dropped = true;
    this.collections.delete(collection.namespace);
    this.#dirtyCounts.delete(collection);
    this.#remove(`collection/${collection.id}`);
    this.#remove(`count/${collection.id}`);
    this.addTrash('collection', collection.id);
    for (const index of collection.indexes) this.addTrash('index', index.id);
  }

  rename(collection: Collection, database: string, name: string): void {
    checkNamespace(database, name);
    if (collection.indexes.some(({ building }) => building)) {
      throw new CommandError(12587, `an index is being built on the collection ${collection.namespace}`);
    }
    this.collections.delete(collection.namespace);
    Object.assign(collection, { database, name, namespace: `${database}.${name}` });
    this.collections.set(collection.namespace, collection);
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

  removeTrash({ kind, id }: Trash): void {
    this.#remove(`trash/${kind}/${id}`);
  }

  isTrash({ kind, id }: Trash): boolean {
    return this.source.all('SELECT 1 FROM catalogue WHERE name = ?', `trash/${kind}/${id}`).length > 0;
  }

  trash(): Trash[] {
    const rows = this.source.all<[string]>("SELECT name FROM catalogue WHERE name LIKE 'trash/%'");
    return rows.map(([name]) => {
      const [, kind, id] = name.split('/');
      return { kind: kind as Trash['kind'], id: Number(id) };
    });
  }

  #write(name: string, body: Document): void {
    if (!name.startsWith('count/')) this.#changed();
    this.source.run('INSERT OR REPLACE INTO catalogue (name, body) VALUES (?, ?)', name, encode(body));
  }

  #remove(name: string): void {
    this.#changed();
    this.source.run('DELETE FROM catalogue WHERE name = ?', name);
  }

  #changed(): void {
    this.#structural = true;
    this.version += 1;
  }
}

/** Refuses names that no collection may have. */
export function checkNamespace(database: string, name: string): void {
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
