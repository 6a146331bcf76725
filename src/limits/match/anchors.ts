import type { LimitCondition } from '../limit.ts';
import { type FactReader, type LimitFacts, namesOf, readerOf } from './facts.ts';
import type { Frequencies } from './frequencies.ts';

type ByValue<T> = { read: FactReader; entries: Map<string, Set<T>> };

/** Entries by the values of one of their conditions, so that a call looks at those alone that name one of its values. */
export class Anchors<T> {
  readonly #byKey = new Map<string, ByValue<T>>();
  readonly #others = new Set<T>();

  /** `condition`: null for an entry that each call looks at. */
  add(condition: LimitCondition | null, entry: T): void {
    if (condition === null) {
      this.#others.add(entry);
      return;
    }
    const { key, values } = condition;
    let byValue = this.#byKey.get(key);
    if (!byValue) {
      byValue = { read: readerOf(key), entries: new Map() };
      this.#byKey.set(key, byValue);
    }
    for (const value of values) {
      const entries = byValue.entries.get(value);
      if (entries) entries.add(entry);
      else byValue.entries.set(value, new Set([entry]));
    }
  }

  remove(condition: LimitCondition | null, entry: T): void {
    if (condition === null) {
      this.#others.delete(entry);
      return;
    }
    const { key, values } = condition;
    const byValue = this.#byKey.get(key);
    for (const value of values) {
      const entries = byValue?.entries.get(value);
      entries?.delete(entry);
      if (entries?.size === 0) byValue?.entries.delete(value);
    }
    if (byValue?.entries.size === 0) this.#byKey.delete(key);
  }

  /** Those that a call has to look at; one may be in several. */
  *probed(facts: LimitFacts): Iterable<Iterable<T>> {
    yield this.#others;
    for (const [key, { read, entries }] of this.#byKey)
      for (const name of namesOf(key, read(facts))) {
        const found = entries.get(name);
        if (found) yield found;
      }
  }
}

/** The condition by which a limit is found: the one whose values the fewest limits name; null where none names values. */
export function anchorOf(
  conditions: readonly LimitCondition[],
  frequencies: Frequencies,
): LimitCondition | null {
  let best: LimitCondition | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const condition of conditions) {
    const { key, values } = condition;
    if (values.includes('*')) continue;
    const weight = values.reduce((sum, value) => sum + frequencies.of(key, value), 0);
    if (weight < least) {
      best = condition;
      least = weight;
    }
  }
  return best;
}
