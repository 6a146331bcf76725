import type {
  AbstractCursor,
  ClientSession,
  Collection,
  Db,
  Document,
  GridFSBucket,
  MongoClient,
} from 'mongodb';
import type { EventLog } from './event-log.ts';
import { RunnerError } from './problems.ts';

/** A cursor whose command has run. The document that this took is the first that an iteration gives. */
export type OpenCursor = { cursor: AbstractCursor; first: Document | null };

type Entities = {
  client: { client: MongoClient; events: EventLog };
  database: Db;
  collection: Collection;
  /** The id is kept beside the session, because an ended session has none. */
  session: { session: ClientSession; lsid: Document | undefined };
  bucket: GridFSBucket;
  cursor: OpenCursor;
  value: unknown;
};

export type EntityType = keyof Entities;
export type Entity<T extends EntityType> = Entities[T];

type Entry = { [T in EntityType]: { type: T; value: Entities[T] } }[EntityType];

/** The named objects of one test. */
export class EntityMap {
  readonly #entries = new Map<string, Entry>();

  set<T extends EntityType>(type: T, name: string, value: Entities[T]): void {
    if (this.#entries.has(name)) throw new RunnerError(`There already is an entity "${name}".`);
    this.#entries.set(name, { type, value } as Entry);
  }

  get<T extends EntityType>(type: T, name: string): Entities[T] {
    const entry = this.entry(name);
    if (entry.type !== type) throw new RunnerError(`Entity "${name}" is a ${entry.type}, not a ${type}.`);
    return entry.value as Entities[T];
  }

  entry(name: string): Entry {
    const entry = this.#entries.get(name);
    if (!entry) throw new RunnerError(`There is no entity "${name}".`);
    return entry;
  }

  all<T extends EntityType>(type: T): Entities[T][] {
    const entries = [...this.#entries.values()].filter((entry) => entry.type === type);
    return entries.map((entry) => entry.value as Entities[T]);
  }
}
