import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChunkRows } from '../../src/knowledge/index/chunk-rows.ts';
import { openIndex, WORD_FORMS } from '../../src/knowledge/index/schema.ts';
import { dropRows, putFile, putSegment } from '../../src/knowledge/index/stored-files.ts';
import { WordSearch } from '../../src/knowledge/index/word-search.ts';

/** Words of which some are forms of each other. */
const words = [
  'cleaned',
  'cleaning',
  'Filter',
  'filters',
  'water',
  'Café',
  'run',
  'running',
  '東京都',
  '7',
  'or',
];
const texts = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((each) => each.join(' '));

/** An index with a file for each list of texts; the files of `dropped` were in it and are gone. */
function indexed(files: readonly string[][], dropped: readonly number[]) {
  const database = openIndex(':memory:');
  const rows = new ChunkRows();
  let firstChunk = 1;
  files.forEach((chunks, at) => {
    const file = putFile(database, { fileId: `f${at}`, version: '1', filename: 'f', attributes: {} });
    const vectors = { dimensions: 1, count: chunks.length };
    const empty = {
      ...vectors,
      values: new Int8Array(chunks.length),
      scales: new Float32Array(chunks.length),
    };
    const put = chunks.map((text) => ({ start: 0, end: 1, text }));
    rows.append(putSegment(database, { file, firstChunk }, { chunks: put, vectors: empty }));
    firstChunk += chunks.length;
  });
  for (const at of dropped) dropRows(database, at + 1);
  rows.drop(new Set(dropped.map((at) => at + 1)), () => undefined);
  return { search: new WordSearch(database), rows, close: () => database.close() };
}

/** The scores that FTS5 itself gives to the texts that an index has, by their chunks. */
function scoresOf(files: readonly string[][], dropped: readonly number[], question: string) {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE VIRTUAL TABLE words USING fts5 (text, ${WORD_FORMS})`);
  const put = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  let chunk = 0;
  files.forEach((chunks, at) => {
    for (const text of chunks) {
      chunk += 1;
      if (!dropped.includes(at))
        put.run(chunk, text.replaceAll('東京都', '東京 京都').replaceAll('Café', 'cafe'));
    }
  });
  const asked = [...new Set(question.replaceAll('東京都', '東京 京都').toLowerCase().split(' '))];
  const found = database
    .prepare('SELECT rowid AS id, rank FROM words WHERE words MATCH ? ORDER BY rank')
    .all(asked.map((word) => `"${word.replace('é', 'e')}"`).join(' OR ')) as { id: number; rank: number }[];
  database.close();
  return new Map(found.map(({ id, rank }) => [id, -rank]));
}

describe('the search by words', () => {
  it('finds what FTS5 finds, in its order, also among texts of which others were deleted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(texts, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        fc.uniqueArray(
          fc.constantFrom(...words.filter((word) => !/clean|filter|run/i.test(word)), 'clean', 'run'),
          {
            minLength: 1,
            maxLength: 5,
          },
        ),
        fc.nat(5),
        (files, asked, last) => {
          const dropped = last < files.length && files.length > 1 ? [last] : [];
          const question = asked.join(' ');
          const { search, rows, close } = indexed(files, dropped);
          const found = search.best(question, { rows, allowed: null, most: 5 });
          close();
          const scores = scoresOf(files, dropped, question);
          const best = [...scores.values()].sort((one, other) => other - one).slice(0, 5);
          expect(found).toHaveLength(best.length);
          for (const [at, chunk] of found.entries()) expect(scores.get(chunk)).toBeCloseTo(best[at] ?? 0, 4);
        },
      ),
    );
  });

  it('finds the same when it is asked again, and only in files that are allowed', () => {
    const { search, rows, close } = indexed([['water'], ['water filter'], ['sand']], []);
    const ask = (allowed: Uint8Array | null) =>
      search.best('the filters for water', { rows, allowed, most: 5 });
    expect([ask(null), ask(Uint8Array.of(0, 1, 0, 1)), ask(null)]).toEqual([[2, 1], [1], [2, 1]]);
    expect(search.best('gravel', { rows, allowed: null, most: 5 })).toEqual([]);
    expect(search.best('?!', { rows, allowed: null, most: 5 })).toEqual([]);
    close();
  });
});
