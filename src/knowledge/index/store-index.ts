import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { QuantisedVectors } from '../embed/quantise.ts';
import { attributeRows, conditionOf } from '../search/filter.ts';
import { wordsOf } from '../words.ts';
import { bestOf, fused } from './fuse.ts';
import { Matrix, type Near } from './matrix.ts';
import type { AddedFile, Hit, IndexedFile, IndexQuery, IndexQuestion } from './messages.ts';
import { Purge } from './purge.ts';
import { openIndex, removeIndex } from './schema.ts';
import { WordSearch } from './word-search.ts';

/** Chunks of each kind of search that are fused. */
const CANDIDATES = 50;

type SegmentRow = {
  first: number;
  file: number;
  count: number;
  dimensions: number;
  vectors: Uint8Array;
  scales: Uint8Array;
};

/** The index of one vector store: its words, chunks and attributes in a file, its vectors in memory as well. */
export class StoreIndex {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #words: WordSearch;
  readonly #purge: Purge;
  #matrix: Matrix | null = null;
  #nextChunk: number;

  constructor(path: string) {
    this.#path = path;
    this.#database = openIndex(path);
    this.#words = new WordSearch(this.#database);
    this.#purge = new Purge(this.#database);
    const rows = this.#database.prepare('SELECT * FROM segment ORDER BY first').iterate();
    for (const row of rows as Iterable<SegmentRow>) this.#load(row);
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
    const loaded: { file: number; first: number; vectors: QuantisedVectors }[] = [];
    this.#atOnce(() => {
      const file = this.#putFile(added);
      for (const segment of added.segments ?? []) {
        const first = this.#nextChunk;
        this.#putSegment(file, first, segment);
        this.#nextChunk += segment.chunks.length;
        loaded.push({ file, first, vectors: segment.vectors });
      }
    });
    for (const { file, first, vectors } of loaded)
      this.#matrixFor(vectors.dimensions).append(file, first, vectors);
  }

  drop(fileIds: readonly string[]): void {
    const find = this.#database.prepare('SELECT id FROM file WHERE file_id = ?');
    const files = fileIds.flatMap((fileId) => (find.get(fileId) as { id: number } | undefined)?.id ?? []);
    if (files.length === 0) return;
    this.#atOnce(() => {
      for (const file of files) this.#dropRows(file);
    });
    this.#purge.due();
    this.#matrix?.drop(new Set(files));
    if (this.#matrix?.count === 0) this.#matrix = null;
  }

  search({ queries, filter, ranking, most, threshold }: IndexQuestion): Hit[] {
    const allowed = filter === null ? null : this.#allowed(conditionOf(filter));
    const near = queries.map((query) => this.#nearest(query, allowed, Math.max(CANDIDATES, most)));
    const ranked =
      ranking === 'vectors'
        ? bestOf(near)
        : fused([
            ...near.map((list) => ({ by: 'vectors' as const, chunks: list.map(({ chunk }) => chunk) })),
            ...queries.map(({ text }) => ({ by: 'words' as const, chunks: this.#worded(text, allowed) })),
          ]);
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
    const matrix = this.#matrix;
    if (!matrix) return [];
    const isAllowed = (chunk: number) => allowed === null || allowed[matrix.fileOf(chunk) ?? 0] === 1;
    return this.#words.best(text, matrix.count, { isAllowed, most: CANDIDATES });
  }

  /** Which files a condition holds for, by their numbers. */
  #allowed({ sql, values }: { sql: string; values: (string | number)[] }): Uint8Array {
    const { last } = this.#database.prepare('SELECT max(id) AS last FROM file').get() as {
      last: number | null;
    };
    const allowed = new Uint8Array((last ?? 0) + 1);
    const rows = this.#database.prepare(`SELECT id FROM file WHERE ${sql}`).all(...values) as {
      id: number;
    }[];
    for (const { id } of rows) allowed[id] = 1;
    return allowed;
  }

  #hit({ chunk, similarity: score }: Near): Hit {
    const row = this.#database
      .prepare(
        'SELECT file_id AS fileId, filename, attributes, start, "end", text ' +
          'FROM chunk JOIN file ON file.id = chunk.file WHERE chunk.id = ?',
      )
      .get(chunk) as Omit<Hit, 'score' | 'attributes'> & { attributes: string };
    return { ...row, attributes: JSON.parse(row.attributes) as Hit['attributes'], score };
  }

  #putFile({ fileId, version, filename, attributes }: AddedFile): number {
    const { id } = this.#database
      .prepare(
        'INSERT INTO file (file_id, version, filename, attributes) VALUES (?, ?, ?, ?) ON CONFLICT (file_id) ' +
          'DO UPDATE SET version = excluded.version, attributes = excluded.attributes RETURNING id',
      )
      .get(fileId, version, filename, JSON.stringify(attributes)) as { id: number };
    this.#database.prepare('DELETE FROM attribute WHERE file = ?').run(id);
    const put = this.#database.prepare('INSERT INTO attribute (file, key, kind, value) VALUES (?, ?, ?, ?)');
    for (const row of attributeRows(attributes)) put.run(id, ...row);
    return id;
  }

  #putSegment(
    file: number,
    first: number,
    { chunks, vectors }: NonNullable<AddedFile['segments']>[number],
  ): void {
    const putChunk = this.#database.prepare(
      'INSERT INTO chunk (id, file, start, "end", text) VALUES (?, ?, ?, ?, ?)',
    );
    const putWords = this.#database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
    chunks.forEach(({ start, end, text }, at) => {
      putChunk.run(first + at, file, start, end, text);
      putWords.run(first + at, wordsOf(text).join(' '));
    });
    this.#database
      .prepare(
        'INSERT INTO segment (first, file, count, dimensions, vectors, scales) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(first, file, vectors.count, vectors.dimensions, bytesOf(vectors.values), bytesOf(vectors.scales));
  }

  #dropRows(file: number): void {
    const ids = this.#database.prepare('SELECT id FROM chunk WHERE file = ?').all(file) as { id: number }[];
    const dropWords = this.#database.prepare('DELETE FROM words WHERE rowid = ?');
    for (const { id } of ids) dropWords.run(id);
    for (const table of ['chunk', 'segment', 'attribute'])
      this.#database.prepare(`DELETE FROM ${table} WHERE file = ?`).run(file);
    this.#database.prepare('DELETE FROM file WHERE id = ?').run(file);
  }

  #load({ first, file, count, dimensions, vectors, scales }: SegmentRow): void {
    const loaded = {
      dimensions,
      count,
      values: new Int8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength),
      scales: new Float32Array(Uint8Array.from(scales).buffer),
    };
    this.#matrixFor(dimensions).append(file, first, loaded);
  }

  #matrixFor(dimensions: number): Matrix {
    this.#matrix ??= new Matrix(dimensions);
    if (this.#matrix.dimensions !== dimensions)
      throw new Error(`A vector of ${dimensions} numbers, among vectors of ${this.#matrix.dimensions}.`);
    return this.#matrix;
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

const bytesOf = ({ buffer, byteOffset, byteLength }: Int8Array | Float32Array): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
