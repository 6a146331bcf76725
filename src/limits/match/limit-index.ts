import { grownCache } from '../../lib/grown-cache.ts';
import type { Limit, LimitCondition } from '../limit.ts';
import { type FactTest, holdsAlways, testOf } from './condition.ts';
import { type FactReader, type LimitFacts, namesOf, readerOf } from './facts.ts';
import { type CounterKey, keyReader, type SeenValues } from './value-key.ts';

/** A limit that a call comes under, and the counter of it that the call is counted by. */
export type Applied = CounterKey & { limit: Limit };

type Entry = {
  limit: Limit;
  position: number;
  tests: readonly FactTest[];
  counterOf: (facts: LimitFacts) => CounterKey;
};

type Anchor = { key: string; read: FactReader; entries: Map<string, Entry[]> };

/** Callers that are remembered. */
const MEMORY = 10_000;
const NONE: readonly Applied[] = [];

/**
 * Finds the limits that a call comes under, in time that grows with those and not with all. Each limit stands under the
 * values of its anchor, the condition whose values the fewest limits name; what a call probes leaves a few candidates.
 */
export class LimitIndex {
  readonly #anchors: Anchor[] = [];
  readonly #unanchored: Entry[] = [];
  readonly #readers = new Map<string, FactReader>();
  readonly #seen: SeenValues;
  readonly #known = grownCache<readonly Applied[]>(MEMORY);
  #size = 0;

  constructor(seen: SeenValues) {
    this.#seen = seen;
  }

  get size(): number {
    return this.#size;
  }

  /** `frequency`: how many limits name a value of a condition. Not to be called once calls were looked up. */
  add(limit: Limit, frequency: (key: string, value: string) => number): void {
    const conditions = limit.conditions.filter((condition) => !holdsAlways(condition));
    const anchor = anchorOf(conditions, frequency);
    const entry: Entry = {
      limit,
      position: this.#size++,
      tests: conditions.filter((each) => each !== anchor || each.excludes.length > 0).map(testOf),
      counterOf: keyReader(limit),
    };
    for (const key of [...conditions.map((each) => each.key), ...limit.groupBy])
      if (!this.#readers.has(key)) this.#readers.set(key, readerOf(key));
    if (anchor === null) this.#unanchored.push(entry);
    else this.#addUnder(anchor, entry);
  }

  #addUnder({ key, values }: LimitCondition, entry: Entry): void {
    let anchor = this.#anchors.find((each) => each.key === key);
    if (!anchor) {
      anchor = { key, read: readerOf(key), entries: new Map() };
      this.#anchors.push(anchor);
    }
    for (const value of new Set(values)) {
      const entries = anchor.entries.get(value);
      if (entries) entries.push(entry);
      else anchor.entries.set(value, [entry]);
    }
  }

  /** In the order in which the limits were added. */
  matching(facts: LimitFacts): readonly Applied[] {
    let signature = '';
    for (const read of this.#readers.values()) {
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
    const look = (entries: readonly Entry[] | undefined) => {
      for (const entry of entries ?? []) if (entry.tests.every((test) => test(facts))) found.add(entry);
    };
    look(this.#unanchored);
    for (const { key, read, entries } of this.#anchors)
      for (const name of namesOf(key, read(facts))) look(entries.get(name));
    if (found.size === 0) return NONE;
    return [...found]
      .sort((one, other) => one.position - other.position)
      .map(({ limit, counterOf }) => ({ limit, ...this.#seen.admit(limit, counterOf(facts)) }));
  }
}

/** The condition by which a limit is found; null where it has none that names values. */
function anchorOf(
  conditions: readonly LimitCondition[],
  frequency: (key: string, value: string) => number,
): LimitCondition | null {
  let best: LimitCondition | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const condition of conditions) {
    const { key, values } = condition;
    if (values.includes('*')) continue;
    const weight = values.reduce((sum, value) => sum + frequency(key, value), 0);
    if (weight < least) {
      best = condition;
      least = weight;
    }
  }
  return best;
}
