import { decode } from '../bson/decode.ts';
import { planKilled } from '../errors.ts';
import type { DocumentQuery } from '../plan/document-query.ts';
import { type Match, Selected } from '../plan/select.ts';
import { Sorter } from '../plan/sorter.ts';
import { keyReader } from '../query/sort.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import type { Document } from '../value/types.ts';
import { type Runner, type StatementOutcome, tooLong } from './batch.ts';
import type { Request } from './command.ts';

/** How long a statement may take inside a transaction, in milliseconds, and how much it may find to change there. */
const budget = 8;
const largestChange = 250;
/** Documents changed between two looks at the clock. */
const step = 25;
/** How many candidates are looked for when one document is to be changed, since others may change them first. */
const candidates = 100;

/** What a statement does, inside a transaction, with the matches it is given; with none, it may insert. */
export type StatementChange = (collection: Collection | undefined, matches: Match[]) => StatementOutcome;

const sum = (total: StatementOutcome, { n, modified, upserted }: StatementOutcome): StatementOutcome => ({
  ...total,
  n: total.n + n,
  modified: total.modified + modified,
  upserted: total.upserted ?? upserted,
});

/**
 * A change of what a selection finds. When that takes long, a reader thread looks for the matches, and transactions
 * only look again at what it found and at what was written since it began. So no transaction searches, and no document
 * is overlooked.
 */
export function changeRunner(
  request: Request,
  name: string,
  selection: DocumentQuery,
  change: StatementChange,
): Runner {
  const { store, database } = request;
  const find = (): Collection | undefined => store.catalogue.find(database, name);
  return {
    now() {
      const collection = find();
      const matches = collection ? locateNow(store, collection, selection) : [];
      return matches === tooLong ? tooLong : change(collection, matches);
    },
    async slowly() {
      for (;;) {
        const collection = find();
        const outcomes = collection
          ? await new Search(request, collection, selection, change).run()
          : await store.writes.run(() => (find() ? null : [change(undefined, [])]));
        if (outcomes) return outcomes.reduce(sum);
      }
    },
  };
}

/** Finds matches inside a transaction, or gives up. */
function locateNow(store: Store, collection: Collection, selection: DocumentQuery): Match[] | typeof tooLong {
  const selected = new Selected(store.database, collection, selection);
  if (selected.long) return tooLong;
  const deadline = performance.now() + budget;
  const found: Match[] = [];
  for (const chunk of selected.chunks()) {
    for (const match of chunk) found.push(match);
    if (found.length > largestChange || performance.now() > deadline) return tooLong;
  }
  return found;
}

class Search {
  readonly #request: Request;
  readonly #collection: Collection;
  readonly #selection: DocumentQuery;
  readonly #selected: Selected;
  readonly #change: StatementChange;
  /** The records written since the search began. */
  readonly #written = new Set<number>();

  constructor(request: Request, collection: Collection, selection: DocumentQuery, change: StatementChange) {
    this.#request = request;
    this.#collection = collection;
    this.#selection = selection;
    this.#selected = new Selected(request.store.database, collection, selection);
    this.#change = change;
  }

  /** The outcomes of the change, one for each transaction; null when the search must begin again. */
  async run(): Promise<StatementOutcome[] | null> {
    const { watches } = this.#collection;
    watches.add(this.#written);
    try {
      return this.#selection.limit === 1 ? await this.#changeOne() : await this.#changeAll();
    } finally {
      watches.delete(this.#written);
    }
  }

  async #changeOne(): Promise<StatementOutcome[] | null> {
    const found = await this.#locate(candidates);
    return this.#transaction(() => {
      const matches = this.#recheck([...new Set([...found, ...this.#written])]);
      const { sort = [] } = this.#selection;
      // Beyond the candidates may be better ones than those written since, unless a candidate is still as it was.
      const surpassed = sort.length > 0 && matches.every(({ record }) => this.#written.has(record));
      if (found.length === candidates && (matches.length === 0 || surpassed)) return null;
      return [this.#change(this.#collection, this.#best(matches))];
    });
  }

  async #changeAll(): Promise<StatementOutcome[] | null> {
    const found = await this.#locate();
    const outcomes: StatementOutcome[] = [];
    for (let next = 0; next < found.length; ) {
      const done = await this.#transaction(() => {
        const deadline = performance.now() + budget;
        const results: StatementOutcome[] = [];
        for (; next < found.length && performance.now() < deadline; next += step) {
          const matches = this.#recheck(found.slice(next, next + step));
          if (matches.length > 0) results.push(this.#change(this.#collection, matches));
        }
        return results;
      });
      if (!done) throw planKilled();
      outcomes.push(...done);
      await this.#request.pace.rest();
    }
    if (outcomes.length > 0) return outcomes;
    return this.#transaction(() => [this.#change(this.#collection, this.#recheck([...this.#written]))]);
  }

  /** A transaction on the collection; null when that was dropped meanwhile. */
  #transaction(run: () => StatementOutcome[] | null): Promise<StatementOutcome[] | null> {
    return this.#request.store.writes.run(() => (this.#collection.dropped ? null : run()));
  }

  /** The records that match, as a reader thread finds them. */
  async #locate(limit = 0): Promise<number[]> {
    const { filter, sort = [], collation, hint, variables = {} } = this.#selection;
    const command: Document = {
      records: this.#collection.name,
      id: this.#collection.id,
      filter,
      sort: new Map(sort.map(({ path, descending }) => [path, descending ? -1 : 1])),
      limit,
      collation: collation?.document,
      hint,
      let: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, { $literal: value }])),
      maxTimeMS: this.#request.body.maxTimeMS,
    };
    const records: number[] = [];
    const { store, client } = this.#request;
    for await (const batch of store.readers.documents(this.#collection.database, command, client)) {
      for (const document of batch) records.push(Number(decode(document).record));
    }
    return records;
  }

  /** Reads records again inside a transaction and keeps those that match. */
  #recheck(records: readonly number[]): Match[] {
    const { filter } = this.#selected;
    return records.flatMap((record) => {
      const body = this.#request.store.documents.read(this.#collection, record);
      if (!body || !filter.test(decode(body, filter.fields))) return [];
      return [{ record, body, document: null }];
    });
  }

  /** The first match in the wanted order. */
  #best(matches: Match[]): Match[] {
    const { sort = [], collation } = this.#selection;
    if (sort.length === 0) return matches.slice(0, 1);
    const sorter = new Sorter<Match>(sort, 1, collation?.fold);
    const read = keyReader(sort, collation?.fold);
    for (const match of matches) sorter.add(read(decode(match.body)), match, 0);
    return [...sorter.batches()].flat();
  }
}
