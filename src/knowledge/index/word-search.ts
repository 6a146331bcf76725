import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { wordsOf } from '../words.ts';
import { Best } from './best.ts';
import { type ChunkRows, placeIn } from './chunk-rows.ts';
import { WORD_FORMS } from './schema.ts';

/** Words of a question that are looked for. */
const MOST_WORDS = 32;
/** The part of the chunks above which a word says too little to be worth its time, where a rarer one is left. */
const COMMON = 0.05;
/** Chunks in which words of a question are found together: beyond them the commoner words are left out. */
const MOST_FOUND = 20_000;
/** Chunks below which all words are looked for. */
const FEW_CHUNKS = 2000;
const MOST_KEPT = 10_000;

/** How much a repeated word counts, and the length of a chunk (BM25). */
const [REPEATED, LENGTH] = [1.2, 0.75];
/** What a word counts that most chunks have: FTS5 has the same bound. */
const LEAST_WEIGHT = 1e-6;

/** FTS5 makes the forms of a question's words, and lists the chunks that have one. */
const TABLES = `
  CREATE VIRTUAL TABLE temp.question USING fts5 (text, content='', ${WORD_FORMS});
  CREATE VIRTUAL TABLE temp.question_form USING fts5vocab (temp, question, instance);
  CREATE VIRTUAL TABLE temp.form USING fts5vocab (main, words, row);
  CREATE VIRTUAL TABLE temp.place USING fts5vocab (main, words, instance);
`;

/** Rows that have a form, and how many times each has it. */
type Found = { rows: number[]; times: number[] };

type Search = { rows: ChunkRows; allowed: Uint8Array | null; most: number };

/**
 * Finds chunks by their words, the best by BM25 first. The order by rank of FTS5 does the same, and takes ten times as long: it asks
 * the length of each chunk of a table. Here the chunks of a word are one list, and their lengths are in memory.
 */
export class WordSearch {
  readonly #ask: StatementSync;
  readonly #askedForms: StatementSync;
  readonly #unask: StatementSync;
  readonly #frequencyOf: StatementSync;
  readonly #placesOf: StatementSync;
  #scores = new Float64Array(0);
  /** How many chunks have a form, as far as it was asked for, and among how many that was. */
  readonly #frequencies = new Map<string, { found: number; among: number }>();

  constructor(database: DatabaseSync) {
    database.exec(`PRAGMA temp_store = MEMORY; ${TABLES}`);
    this.#ask = database.prepare('INSERT INTO question (rowid, text) VALUES (1, ?)');
    this.#askedForms = database.prepare('SELECT DISTINCT term FROM question_form ORDER BY offset');
    this.#unask = database.prepare("INSERT INTO question (question) VALUES ('delete-all')");
    this.#frequencyOf = database.prepare('SELECT doc AS found FROM form WHERE term = ?');
    this.#placesOf = database.prepare('SELECT json_group_array(doc) AS places FROM place WHERE term = ?');
  }

  /** Ids of the best chunks of the files that are allowed, of all where that is null. */
  best(text: string, { rows, allowed, most }: Search): number[] {
    const scores = this.#scoresFor(rows.count);
    const scored: number[] = [];
    for (const form of this.#telling(this.#formsOf(text), rows.count))
      addScores(this.#foundOf(form, rows), rows, { scores, scored });
    const best = new Best(most);
    for (const row of scored) {
      const similarity = scores[row] ?? 0;
      scores[row] = 0;
      if (similarity > best.bound && (allowed === null || allowed[rows.files[row] ?? 0] === 1))
        best.take({ chunk: rows.chunks[row] ?? 0, similarity });
    }
    return best.found.map(({ chunk }) => chunk);
  }

  /** A number for each row, all 0: they are set back by each search, since a store has far more rows than a search finds. */
  #scoresFor(count: number): Float64Array {
    if (this.#scores.length < count) this.#scores = new Float64Array(count * 2);
    return this.#scores;
  }

  /** The rows that have a form. The list names a chunk once for each time that it has the form, in the order of chunks. */
  #foundOf(form: string, { chunks, count }: ChunkRows): Found {
    const { places } = this.#placesOf.get(form) as { places: string };
    const found: Found = { rows: [], times: [] };
    let row = -1;
    for (const chunk of JSON.parse(places) as number[]) {
      if (row >= 0 && chunks[row] === chunk) found.times.push((found.times.pop() ?? 0) + 1);
      else {
        const next = placeIn(chunks, chunk, { low: row + 1, high: count - 1 });
        if (next < 0) continue;
        row = next;
        found.rows.push(row);
        found.times.push(1);
      }
    }
    return found;
  }

  #formsOf(text: string): string[] {
    const words = [...new Set(wordsOf(text))].slice(0, MOST_WORDS);
    try {
      this.#ask.run(words.join(' '));
      return (this.#askedForms.all() as { term: string }[]).map(({ term }) => term);
    } finally {
      this.#unask.run();
    }
  }

  /** The forms that are looked for: the rarest of them, as many as find chunks in a bounded time. */
  #telling(forms: string[], total: number): string[] {
    if (total < FEW_CHUNKS) return forms;
    const counted = forms
      .map((form) => ({ form, found: this.#frequency(form, total) }))
      .sort((one, other) => one.found - other.found);
    const most = Math.max(total * COMMON, counted[0]?.found ?? 0);
    let sum = 0;
    return counted.flatMap(({ form, found }, at) => {
      sum += found;
      return found <= most && (at === 0 || sum <= MOST_FOUND) ? [form] : [];
    });
  }

  #frequency(form: string, total: number): number {
    const known = this.#frequencies.get(form);
    if (known && Math.abs(known.among - total) < total * COMMON) return known.found;
    const { found } = (this.#frequencyOf.get(form) ?? { found: 0 }) as { found: number };
    if (this.#frequencies.size >= MOST_KEPT) this.#frequencies.clear();
    this.#frequencies.set(form, { found, among: total });
    return found;
  }
}

/** Adds to the scores of rows what a form counts in each; `scored` are those that have a score. */
function addScores(
  { rows: found, times }: Found,
  { count, lengths, meanLength }: ChunkRows,
  { scores, scored }: { scores: Float64Array; scored: number[] },
): void {
  const rarity = Math.log((count - found.length + 0.5) / (found.length + 0.5));
  const weight = Math.max(LEAST_WEIGHT, rarity) * (REPEATED + 1);
  found.forEach((row, at) => {
    const repeated = times[at] ?? 0;
    const flat = REPEATED * (1 - LENGTH + (LENGTH * (lengths[row] ?? 0)) / meanLength);
    const before = scores[row] ?? 0;
    if (before === 0) scored.push(row);
    scores[row] = before + (weight * repeated) / (repeated + flat);
  });
}
