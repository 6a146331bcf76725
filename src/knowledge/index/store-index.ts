import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type AttributeFilter, conditionOf } from '../search/filter.ts';
import type { Near } from './best.ts';
import { bestOf, fused } from './fuse.ts';
import { Matrix } from './matrix.ts';
import type { AddedFile, Hit, IndexedFile, IndexQuery, IndexQuestion } from './messages.ts';
import { Purge } from './purge.ts';
import { openIndex, removeIndex } from './schema.ts';
import { dropRows, type LoadedSegment, putFile, putSegment, segmentsIn } from './stored-files.ts';
import { WordSearch } from './word-search.ts';

/** Chunks of each kind of search that are fused. */
const CANDIDATES = 50;
/** Filters of which it is kept for which files they hold. */
const MOST_FILTERS = 16;

/** The index of one vector store: its words, chunks and attributes in a file, its vectors in memory as well. */
export class StoreIndex {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #words: WordSearch;
  readonly #purge: Purge;
  readonly #chunk: StatementSync;
  /** For which files the last filters hold, until files change. */
  readonly #filtered = new Map<string, Uint8Array>();
  #matrix: Matrix | null = null;
  #nextChunk: number;

  constructor(path: string) {
    this.#path = path;
    this.#database = openIndex(path);
    this.#words = new WordSearch(this.#database);
    this.#purge = new Purge(this.#database);
    this.#chunk = this.#database.prepare(
      'SELECT file_id AS fileId, filename, attributes, start, "end", text ' +
        'FROM chunk JOIN file ON file.id = chunk.file WHERE chunk.id = ?',
    );
    for (const segment of segmentsIn(this.#database)) this.#load(segment);
    const { last } = this.#database.prepare('SELECT max(id) AS last FROM chunk').get() as {
      last: number | null;
    };
    this.#nextChunk = (last ?? 0) + 1;
  }

  get bytesInMemory(): number {
    return this.#matrix?.bytes ?? 0;
  }

  get bytesOnDisk(): number {
    return statSync(this.#path).size;
  }

  files(): IndexedFile[] {
    return this.#database
      .prepare('SELECT file_id AS fileId, version FROM file')
      .all() as unknown as IndexedFile[];
  }

  add(added: AddedFile): void {
    if (added.segments !== null) this.drop([added.fileId]);
    const loaded: LoadedSegment[] = [];
    this.#filtered.clear();
    this.#atOnce(() => {
      const file = putFile(this.#database, added);
      for (const segment of added.segments ?? []) {
        loaded.push(putSegment(this.#database, { file, firstChunk: this.#nextChunk }, segment));
        this.#nextChunk += segment.chunks.length;
      }
    });
    for (const segment of loaded) this.#load(segment);
  }

  drop(fileIds: readonly string[]): void {
    const find = this.#database.prepare('SELECT id FROM file WHERE file_id = ?');
    const files = fileIds.flatMap((fileId) => (find.get(fileId) as { id: number } | undefined)?.id ?? []);
    if (files.length === 0) return;
    this.#filtered.clear();
    this.#atOnce(() => {
      for (const file of files) dropRows(this.#database, file);
    });
    this.#purge.due();
    this.#matrix?.drop(new Set(files));
    if (this.#matrix?.count === 0) this.#matrix = null;
  }

  search({ queries, filter, ranking, weights, most, threshold }: IndexQuestion): Hit[] {
    const allowed = filter === null ? null : this.#allowed(filter);
    const near = queries.map((query) => this.#nearest(query, allowed, Math.max(CANDIDATES, most)));
    const ranked =
      ranking === 'vectors'
        ? bestOf(near)
        : fused(
            [
              ...near.map((list) => ({ by: 'vectors' as const, chunks: list.map(({ chunk }) => chunk) })),
              ...queries.map(({ text }) => ({ by: 'words' as const, chunks: this.#worded(text, allowed) })),
            ],
            weights,
          );
    return ranked
      .filter(({ similarity }) => similarity >= threshold)
      .slice(0, most)
      .map((found) => this.#hit(found));
  }

  close(): void {
    this.#purge.stop();
    this.#database.close();
  }

  remove(): void {
    this.close();
    removeIndex(this.#path);
  }

  #nearest({ vector }: IndexQuery, allowed: Uint8Array | null, most: number): Near[] {
    return this.#matrix?.nearest(vector, allowed, most) ?? [];
  }

  #worded(text: string, allowed: Uint8Array | null): number[] {
    if (!this.#matrix) return [];
    return this.#words.best(text, { rows: this.#matrix.rows, allowed, most: CANDIDATES });
  }

  /** Which files a filter holds for, by their numbers. */
  #allowed(filter: AttributeFilter): Uint8Array {
    const { sql, values } = conditionOf(filter);
    const name = JSON.stringify([sql, values]);
    const known = this.#filtered.get(name);
    if (known) return known;
    const { last } = this.#database.prepare('SELECT max(id) AS last FROM file').get() as {
      last: number | null;
    };
    const allowed = new Uint8Array((last ?? 0) + 1);
    const rows = this.#database.prepare(`SELECT id FROM file WHERE ${sql}`).all(...values) as {
      id: number;
    }[];
    for (const { id } of rows) allowed[id] = 1;
    if (this.#filtered.size >= MOST_FILTERS) this.#filtered.clear();
    this.#filtered.set(name, allowed);
    return allowed;
  }

  #hit({ chunk, similarity: score }: Near): Hit {
    const row = this.#chunk.get(chunk) as Omit<Hit, 'score' | 'attributes'> & { attributes: string };
    return { ...row, attributes: JSON.parse(row.attributes) as Hit['attributes'], score };
  }

  #load(segment: LoadedSegment): void {
    const { dimensions } = segment.vectors;
    this.#matrix ??= new Matrix(dimensions);
    if (this.#matrix.dimensions !== dimensions)
      throw new Error(`A vector of ${dimensions} numbers, among vectors of ${this.#matrix.dimensions}.`);
    this.#matrix.append(segment, segment.vectors);
  }

  #atOnce(work: () => void): void {
    this.#database.exec('BEGIN');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
