import { Cursors } from '../cursors.ts';
import { CommandError } from '../errors.ts';
import { Readers } from '../reader/readers.ts';
import { LogicalSessions } from '../sessions.ts';
import { temporaryPrefix, WriterCatalogue } from './catalogue.ts';
import { Cleaner } from './cleaner.ts';
import type { Collection } from './collection.ts';
import { Documents } from './documents.ts';
import { DataFile } from './file/data-file.ts';
import { Housekeeper } from './housekeeper.ts';
import type { StoreOptions } from './options.ts';
import { Writes } from './writes.ts';

/** Everything a command works with. */
export class Store {
  readonly path: string;
  readonly database: DataFile;
  readonly catalogue: WriterCatalogue;
  readonly documents: Documents;
  readonly writes: Writes;
  readonly cursors: Cursors;
  readonly sessions = new LogicalSessions();
  readonly cleaner: Cleaner;
  readonly readers: Readers;
  readonly #housekeeper: Housekeeper;

  constructor(path: string, options: StoreOptions, onError: (error: unknown) => void) {
    this.path = path;
    this.database = new DataFile(path, onError);
    this.catalogue = new WriterCatalogue(this.database);
    this.documents = new Documents(this.database, this.catalogue);
    this.writes = new Writes(this.database, this.catalogue);
    this.cursors = new Cursors(options.cursorIdleLimit, 0);
    this.readers = new Readers(path, options, this.catalogue);
    this.cleaner = new Cleaner(this.database, this.catalogue, this.writes, onError);
    const leftovers = this.catalogue.list().filter(({ name }) => name.startsWith(temporaryPrefix));
    this.writes
      .run(() => {
        for (const collection of leftovers) this.catalogue.drop(collection);
      })
      .then(() => this.cleaner.wake())
      .catch(onError);
    this.#housekeeper = new Housekeeper(this, options.ttlInterval, onError);
  }

  /** The collection, made on the spot when a first write needs it; only inside a write. */
  obtain(database: string, name: string): Collection {
    return this.catalogue.find(database, name) ?? this.catalogue.create(database, name);
  }

  /** The collection, or the error that a command on a missing one gives. */
  require(database: string, name: string): Collection {
    const collection = this.catalogue.find(database, name);
    if (!collection) throw new CommandError(26, `ns does not exist: ${database}.${name}`);
    return collection;
  }

  async close(): Promise<void> {
    await this.#housekeeper.close();
    await this.cleaner.close();
    await this.readers.close();
    this.writes.close();
    await this.database.stop();
  }
}
