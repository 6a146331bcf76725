import type { Limit } from '../limit.ts';
import { type FactReader, isCallersWord, type LimitFacts, readerOf } from './facts.ts';

/** What tells the counters of a limit apart: the values of its groups in one text, and each by its name. */
export type CounterKey = { valueKey: string; values: Readonly<Record<string, string>> };

/** Values of one limit that have a counter each. */
export const MAX_VALUES = 100_000;
/** The counter of all values beyond that. */
export const OVERFLOW = '*overflow';

const WHOLE: CounterKey = { valueKey: '', values: {} };

/**
 * How the counter of a limit is named: `metadata._user:alice`, several joined by `|`. A `|` or `\` of a value has a `\`
 * before it, so that no two combinations have one name.
 */
export function keyReader({ groupBy }: Pick<Limit, 'groupBy'>): (facts: LimitFacts) => CounterKey {
  if (groupBy.length === 0) return () => WHOLE;
  const readers: [string, FactReader][] = groupBy.map((key) => [key, readerOf(key)]);
  return (facts) => {
    const values: Record<string, string> = {};
    let valueKey = '';
    for (const [key, read] of readers) {
      const value = read(facts);
      values[key] = value;
      valueKey += `${valueKey === '' ? '' : '|'}${key}:${escaped(value)}`;
    }
    return { valueKey, values };
  };
}

const special = /[|\\]/;

const escaped = (value: string): string => (special.test(value) ? value.replace(/[|\\]/g, '\\$&') : value);

/**
 * Remembers which values a limit has seen. Callers make up metadata: beyond MAX_VALUES, new ones share a counter, so that
 * inventing values is no way around a limit and takes no further memory.
 */
export class SeenValues {
  readonly #seen = new Map<string, Set<string>>();
  readonly #most: number;
  readonly #onOverflow: (limit: Limit) => void;
  readonly #told = new Set<string>();

  /** `onOverflow`: called once for each limit. */
  constructor(onOverflow: (limit: Limit) => void, most = MAX_VALUES) {
    this.#onOverflow = onOverflow;
    this.#most = most;
  }

  admit(limit: Limit, key: CounterKey): CounterKey {
    if (!limit.groupBy.some(isCallersWord)) return key;
    const seen = this.#seen.get(limit.id);
    if (seen === undefined) this.#seen.set(limit.id, new Set([key.valueKey]));
    else if (!seen.has(key.valueKey)) {
      if (seen.size >= this.#most) return this.#overflowing(limit);
      seen.add(key.valueKey);
    }
    return key;
  }

  #overflowing(limit: Limit): CounterKey {
    if (!this.#told.has(limit.id)) {
      this.#told.add(limit.id);
      this.#onOverflow(limit);
    }
    return { valueKey: OVERFLOW, values: {} };
  }
}
