import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { freePlace, removeLeftPlaces } from './places.ts';
import { removeIndex } from './schema.ts';
import { StoreIndex } from './store-index.ts';

/** Indexes that are open at a time. */
const MOST_OPEN = 200;
/** Bytes of vectors in memory; the index that was used last stays whatever it takes. */
const MOST_BYTES = 1024 ** 3;
const SUFFIX = '.sqlite';

/** The index files of one process, each under the id of its store. Losing one loses nothing: it is made again. */
export class IndexDirectory {
  readonly #root: string;
  readonly #path: string;
  readonly #cacheBytes: number;
  /** In the order of their last use. */
  readonly #open = new Map<string, StoreIndex>();
  /** What keeps the place for this process, for as long as it lives. */
  readonly #held: DatabaseSync;

  constructor(root: string, cacheBytes: number) {
    const { path, held } = freePlace(root);
    this.#root = root;
    this.#path = path;
    this.#held = held;
    this.#cacheBytes = cacheBytes;
  }

  of(store: string): StoreIndex {
    const known = this.#open.get(store);
    if (known) {
      this.#open.delete(store);
      this.#open.set(store, known);
      this.#makeRoom();
      return known;
    }
    const path = this.#pathOf(store);
    const index = new StoreIndex(path);
    const now = new Date();
    utimesSync(path, now, now);
    this.#open.set(store, index);
    this.#makeRoom();
    this.#deleteOldest();
    return index;
  }

  stores(): { store: string; writtenAt: number }[] {
    return this.#stores().map((store) => ({ store, writtenAt: statSync(this.#pathOf(store)).mtimeMs }));
  }

  forget(stores: readonly string[]): void {
    for (const store of stores) {
      this.#open.get(store)?.close();
      this.#open.delete(store);
      removeIndex(this.#pathOf(store));
    }
  }

  /** Deletes what processes have left that are gone: nobody would take erased texts out of it. */
  tidy(): void {
    removeLeftPlaces(this.#root, this.#path);
  }

  close(): void {
    for (const index of this.#open.values()) index.close();
    this.#open.clear();
    this.#held.close();
  }

  #stores(): string[] {
    return readdirSync(this.#path).flatMap((name) =>
      name.endsWith(SUFFIX) && name.startsWith('vs_') ? [name.slice(0, -SUFFIX.length)] : [],
    );
  }

  #pathOf(store: string): string {
    if (!/^vs_[A-Za-z0-9]+(\.[A-Za-z0-9]+)?$/.test(store))
      throw new Error('The name of an index has no path in it.');
    return join(this.#path, `${store}${SUFFIX}`);
  }

  #makeRoom(): void {
    const bytes = () => [...this.#open.values()].reduce((sum, index) => sum + index.bytesInMemory, 0);
    while (this.#open.size > 1 && (this.#open.size > MOST_OPEN || bytes() > MOST_BYTES)) {
      const [oldest] = this.#open;
      if (!oldest) return;
      oldest[1].close();
      this.#open.delete(oldest[0]);
    }
  }

  /** Deletes closed indexes, those opened longest ago first, until the files fit into the cache. */
  #deleteOldest(): void {
    const files = this.#stores().map((store) => ({ store, ...statSync(this.#pathOf(store)) }));
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    const closed = files.filter(({ store }) => !this.#open.has(store));
    for (const { store, size } of closed.sort((one, other) => one.mtimeMs - other.mtimeMs)) {
      if (bytes <= this.#cacheBytes) return;
      removeIndex(this.#pathOf(store));
      bytes -= size;
    }
  }
}
