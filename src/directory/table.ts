import { GatewayError } from '../errors/index.ts';
import { grownCache } from '../lib/grown-cache.ts';

/**
 * A value in memory is answered without a promise, so that the data plane waits for the database only at the first
 * use.
 */
export type Table<T> = { get(id: string): T | null | Promise<T | null> };

const ENTRIES = 20_000;
/**
 * The most ids that are known not to exist. A misconfigured caller repeats the same wrong id; a guesser sends another
 * one each time.
 */
const ABSENT = 1000;
const REFRESH_BATCH = 500;

/** `renewed`: what is kept of a value that was read again; the new one unless it is given. */
export function createTable<T extends object>(
  load: (ids: string[]) => Promise<Map<string, T>>,
  renewed: (before: T, after: T) => T | Promise<T> = (_before, after) => after,
) {
  const present = grownCache<T>(ENTRIES);
  // Ids that do not exist have a bound of their own, so that guessing keys does not push out real ones.
  const absent = grownCache<true>(ABSENT);
  const loading = new Map<string, Promise<T | null>>();
  let generation = 0;
  let refreshing: Promise<void> = Promise.resolve();

  async function loadOne(id: string): Promise<T | null> {
    const started = generation;
    const value = await read([id]).then((found) => found.get(id) ?? null);
    // A change during the read may be missing in its result: the result is answered and not kept.
    if (started !== generation) return value;
    if (value) present.set(id, value);
    else absent.set(id, true);
    return value;
  }

  async function read(ids: string[]): Promise<Map<string, T>> {
    try {
      return await load(ids);
    } catch (cause) {
      throw new GatewayError('STORE_UNAVAILABLE', { cause });
    }
  }

  async function reload(): Promise<void> {
    const ids = [...present.keys()];
    for (let start = 0; start < ids.length; start += REFRESH_BATCH) {
      const batch = ids.slice(start, start + REFRESH_BATCH);
      const found = await read(batch);
      for (const id of batch) {
        const value = found.get(id);
        const before = present.peek(id);
        const kept = value && before ? renewed(before, value) : value;
        if (kept) present.set(id, kept instanceof Promise ? await kept : kept);
        else present.delete(id);
      }
    }
  }

  return {
    get(id: string): T | null | Promise<T | null> {
      const value = present.get(id);
      if (value !== undefined) return value;
      if (absent.has(id)) return null;
      let pending = loading.get(id);
      if (!pending) {
        const own = loadOne(id).finally(() => {
          if (loading.get(id) === own) loading.delete(id);
        });
        pending = own;
        loading.set(id, own);
      }
      return pending;
    },
    forget(id: string): void {
      present.delete(id);
      absent.delete(id);
      loading.delete(id);
    },
    /** Reads everything in memory again; until that is done, and when it fails, the last known state serves. */
    refresh(): Promise<void> {
      generation++;
      absent.clear();
      // A read that began before the change is shared with no new caller.
      loading.clear();
      // One refresh after the other: the result of an earlier one must not overwrite that of a later one.
      refreshing = refreshing.then(reload, reload);
      return refreshing;
    },
  };
}
