import { decode } from '../bson/decode.ts';
import type { Pace } from '../pace.ts';
import type { Match } from '../query/match-stream.ts';
import { Selected, type Selection } from '../query/select.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';

/** How long a statement may search inside a transaction, and how much it may change there. */
const searchBudget = 8;
const largestChange = 250;

/** A search took too long for a transaction that others are waiting for. */
export const tooLong: unique symbol = Symbol('too long');

/** Finds matches inside a transaction; gives up when that takes long, unless it must not. */
export function locateNow(
  store: Store,
  collection: Collection,
  selection: Selection,
  patient: boolean,
): Match[] | typeof tooLong {
  const selected = new Selected(store.database, collection, selection);
  const deadline = performance.now() + searchBudget;
  const found: Match[] = [];
  for (const chunk of selected.chunks()) {
    found.push(...chunk);
    if (patient) continue;
    if (found.length > largestChange || performance.now() > deadline) return tooLong;
  }
  return found;
}

/** Finds the records of all matches, letting others run in between. */
export async function locateSlowly(
  store: Store,
  collection: Collection,
  selection: Selection,
  pace: Pace,
): Promise<number[]> {
  const records: number[] = [];
  for await (const chunk of new Selected(store.database, collection, selection).paced(pace)) {
    for (const { record } of chunk) records.push(record);
  }
  return records;
}

/** Reads records again inside a transaction and keeps those that still match. */
export function recheck(
  store: Store,
  collection: Collection,
  selection: Selection,
  records: readonly number[],
): Match[] {
  const { filter } = new Selected(store.database, collection, selection);
  return records.flatMap((record) => {
    const body = collection.dropped ? null : store.documents.read(collection, record);
    if (!body || !filter.test(decode(body, filter.fields))) return [];
    return [{ record, body, document: null }];
  });
}

/**
 * Runs a change on the matches of a selection: at once when they are quickly found, otherwise by searching outside the
 * transaction and changing in batches. `change` gets each batch and whether it is the last word on this statement.
 */
export async function changeMatches(
  store: Store,
  obtain: () => Collection | undefined,
  selection: Selection,
  pace: Pace,
  change: (collection: Collection, matches: Match[]) => void,
): Promise<number> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const collection = obtain();
    if (!collection) return 0;
    const records = await locateSlowly(store, collection, selection, pace);
    if (records.length === 0) return 0;
    let changed = 0;
    for (let start = 0; start < records.length; start += largestChange) {
      changed += await store.writes.run(() => {
        const matches = recheck(store, collection, selection, records.slice(start, start + largestChange));
        change(collection, matches);
        return matches.length;
      });
      if (pace.tired) await pace.rest();
    }
    // The one document found may have changed meanwhile while another would match; then the search begins again.
    if (changed > 0 || selection.limit !== 1) return changed;
  }
  return store.writes.run(() => {
    const collection = obtain();
    if (!collection) return 0;
    const matches = locateNow(store, collection, selection, true);
    if (matches === tooLong) return 0;
    change(collection, matches);
    return matches.length;
  });
}
