import { grownCache } from '../../lib/grown-cache.ts';
import type { Limit, LimitCondition } from '../limit.ts';
import { Anchors, anchorOf } from './anchors.ts';
import { type FactTest, holdsAlways, testOf } from './condition.ts';
import { type FactReader, type LimitFacts, readerOf } from './facts.ts';
import type { Frequencies } from './frequencies.ts';
import { type CounterKey, keyReader, type SeenValues } from './value-key.ts';

/** A limit that a call comes under, and the counter of it that the call is counted by. */
export type Applied = CounterKey & { limit: Limit };

type Entry = {
  limit: Limit;
  position: number;
  tests: readonly FactTest[];
  counterOf: (facts: LimitFacts) => CounterKey;
  /** The condition under whose values it stands; null where none names values. */
  anchor: LimitCondition | null;
  /** The facts that it depends on. */
  keys: readonly string[];
};

type Reader = { read: FactReader; limits: number };

/** Callers that are remembered. */
const MEMORY = 10_000;
const NONE: readonly Applied[] = [];

/**
 * Finds the limits that a call comes under, in time that grows with those and not with all. Each limit stands under the
 * values of its anchor, the condition whose values the fewest limits name; what a call probes leaves a few candidates.
 */
export class LimitIndex {
  readonly #anchors = new Anchors<Entry>();
  readonly #readers = new Map<string, Reader>();
  readonly #entries = new Map<Limit, Entry>();
  readonly #seen: SeenValues;
  readonly #frequencies: Frequencies;
  readonly #known = grownCache<readonly Applied[]>(MEMORY);
  #added = 0;

  constructor(seen: SeenValues, frequencies: Frequencies) {
    this.#seen = seen;
    this.#frequencies = frequencies;
  }

  get size(): number {
    return this.#entries.size;
  }

  add(limit: Limit): void {
    const conditions = limit.conditions.filter((condition) => !holdsAlways(condition));
    const anchor = anchorOf(conditions, this.#frequencies);
    const entry: Entry = {
      limit,
      position: this.#added++,
      tests: conditions.filter((each) => each !== anchor || each.excludes.length > 0).map(testOf),
      counterOf: keyReader(limit),
      anchor,
      keys: [...conditions.map((each) => each.key), ...limit.groupBy],
    };
    this.#entries.set(limit, entry);
    for (const key of entry.keys) {
      const reader = this.#readers.get(key);
      if (reader) reader.limits++;
      else this.#readers.set(key, { read: readerOf(key), limits: 1 });
    }
    this.#anchors.add(anchor, entry);
    this.#forget();
  }

  remove(limit: Limit): void {
    const entry = this.#entries.get(limit);
    if (!entry) return;
    this.#entries.delete(limit);
    this.#anchors.remove(entry.anchor, entry);
    for (const key of entry.keys) {
      const reader = this.#readers.get(key);
      if (reader && --reader.limits === 0) this.#readers.delete(key);
    }
    this.#forget();
  }

  #forget(): void {
    if (this.#known.size > 0) this.#known.clear();
  }

  /** In the order in which the limits were added. */
  matching(facts: LimitFacts): readonly Applied[] {
    let signature = '';
    for (const { read } of this.#readers.values()) {
      const value = read(facts);
      signature += `${value.length}:${value}`;
    }
    const known = this.#known.get(signature);
    if (known) return known;
    const found = this.#find(facts);
    this.#known.set(signature, found);
    return found;
  }

  #find(facts: LimitFacts): readonly Applied[] {
    const found = new Set<Entry>();
    for (const entries of this.#anchors.probed(facts))
      for (const entry of entries) if (entry.tests.every((test) => test(facts))) found.add(entry);
    if (found.size === 0) return NONE;
    return [...found]
      .sort((one, other) => one.position - other.position)
      .map(({ limit, counterOf }) => ({ limit, ...this.#seen.admit(limit, counterOf(facts)) }));
  }
}
