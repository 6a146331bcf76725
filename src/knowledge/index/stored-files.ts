import type { DatabaseSync } from 'node:sqlite';
import type { QuantisedVectors } from '../embed/quantise.ts';
import { attributeRows } from '../search/filter.ts';
import { wordsOf } from '../words.ts';
import type { AddedChunks } from './chunk-rows.ts';
import type { AddedFile } from './messages.ts';

/** Chunks with their vectors, as they go into memory. */
export type LoadedSegment = AddedChunks & { vectors: QuantisedVectors };

type SegmentRow = {
  file: number;
  firstChunk: number;
  count: number;
  dimensions: number;
  vectors: Uint8Array;
  scales: Uint8Array;
  lengths: Uint8Array;
};

/** Puts a file with its attributes; answers its number. */
export function putFile(
  database: DatabaseSync,
  { fileId, version, filename, attributes }: Omit<AddedFile, 'segments'>,
): number {
  const { id } = database
    .prepare(
      'INSERT INTO file (file_id, version, filename, attributes) VALUES (?, ?, ?, ?) ON CONFLICT (file_id) ' +
        'DO UPDATE SET version = excluded.version, attributes = excluded.attributes RETURNING id',
    )
    .get(fileId, version, filename, JSON.stringify(attributes)) as { id: number };
  database.prepare('DELETE FROM attribute WHERE file = ?').run(id);
  const put = database.prepare('INSERT INTO attribute (file, key, kind, value) VALUES (?, ?, ?, ?)');
  for (const row of attributeRows(attributes)) put.run(id, ...row);
  return id;
}

/** Puts chunks of a file under the ids from `firstChunk` on. */
export function putSegment(
  database: DatabaseSync,
  { file, firstChunk }: { file: number; firstChunk: number },
  { chunks, vectors }: NonNullable<AddedFile['segments']>[number],
): LoadedSegment {
  const putChunk = database.prepare(
    'INSERT INTO chunk (id, file, start, "end", text) VALUES (?, ?, ?, ?, ?)',
  );
  const putWords = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  const lengths = new Int32Array(chunks.length);
  chunks.forEach(({ start, end, text }, at) => {
    const words = wordsOf(text);
    lengths[at] = words.length;
    putChunk.run(firstChunk + at, file, start, end, text);
    putWords.run(firstChunk + at, words.join(' '));
  });
  database
    .prepare(
      'INSERT INTO segment (first, file, count, dimensions, vectors, scales, lengths) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      ...[firstChunk, file, vectors.count, vectors.dimensions],
      ...[bytesOf(vectors.values), bytesOf(vectors.scales), bytesOf(lengths)],
    );
  return { file, firstChunk, lengths, vectors };
}

/** All chunks, in the order of their ids. */
export function* segmentsIn(database: DatabaseSync): Generator<LoadedSegment> {
  const rows = database.prepare('SELECT first AS firstChunk, * FROM segment ORDER BY first').iterate();
  for (const row of rows as Iterable<SegmentRow>) {
    const { file, firstChunk, count, dimensions, vectors, scales, lengths } = row;
    const values = new Int8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength);
    yield {
      ...{ file, firstChunk, lengths: new Int32Array(copied(lengths)) },
      vectors: { dimensions, count, values, scales: new Float32Array(copied(scales)) },
    };
  }
}

/** Drops a file with all that is of it. */
export function dropRows(database: DatabaseSync, file: number): void {
  const ids = database.prepare('SELECT id FROM chunk WHERE file = ?').all(file) as { id: number }[];
  const dropWords = database.prepare('DELETE FROM words WHERE rowid = ?');
  for (const { id } of ids) dropWords.run(id);
  for (const table of ['chunk', 'segment', 'attribute'])
    database.prepare(`DELETE FROM ${table} WHERE file = ?`).run(file);
  database.prepare('DELETE FROM file WHERE id = ?').run(file);
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int8Array | Float32Array | Int32Array): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

/** A buffer of its own, which begins at a whole number. */
const copied = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;
