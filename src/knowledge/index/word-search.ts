import type { DatabaseSync } from 'node:sqlite';
import { wordsOf } from '../words.ts';

/** Words of a question that are looked for. */
const MOST_WORDS = 32;
/** The part of the chunks above which a word says too little to be worth its time, where a rarer one is left. */
const COMMON = 0.05;
/** Chunks below which all words are looked for. */
const FEW_CHUNKS = 2000;
const MOST_KEPT = 10_000;

/** Finds chunks by their words, the best by BM25 first. */
export class WordSearch {
  readonly #database: DatabaseSync;
  /** How many chunks have a word, as far as it was asked for, and among how many that was. */
  readonly #frequencies = new Map<string, { found: number; among: number }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Ids of the best chunks that `isAllowed` lets through. `total` is how many chunks there are. */
  best(
    text: string,
    total: number,
    { isAllowed, most }: { isAllowed: (chunk: number) => boolean; most: number },
  ): number[] {
    const words = this.#telling([...new Set(wordsOf(text))].slice(0, MOST_WORDS), total);
    if (words.length === 0) return [];
    const rows = this.#database
      .prepare('SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY rank')
      .iterate(words.map(quoted).join(' OR '));
    const found: number[] = [];
    for (const { id } of rows as Iterable<{ id: number }>) {
      if (isAllowed(id)) found.push(id);
      if (found.length >= most) break;
    }
    return found;
  }

  #telling(words: string[], total: number): string[] {
    if (total < FEW_CHUNKS) return words;
    const rare = words.filter((word) => this.#frequency(word, total) <= total * COMMON);
    return rare.length > 0 ? rare : words;
  }

  #frequency(word: string, total: number): number {
    const known = this.#frequencies.get(word);
    if (known && Math.abs(known.among - total) < total * COMMON) return known.found;
    const { found } = this.#database
      .prepare('SELECT count(*) AS found FROM words WHERE words MATCH ?')
      .get(quoted(word)) as { found: number };
    if (this.#frequencies.size >= MOST_KEPT) this.#frequencies.clear();
    this.#frequencies.set(word, { found, among: total });
    return found;
  }
}

/** A word has letters and digits alone; the quotes keep `or` and `near` from being operators. */
const quoted = (word: string): string => `"${word}"`;
