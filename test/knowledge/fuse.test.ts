import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { embedLocally } from '../../src/knowledge/embed/local.ts';
import { quantise } from '../../src/knowledge/embed/quantise.ts';
import { fused } from '../../src/knowledge/index/fuse.ts';
import { StoreIndex } from '../../src/knowledge/index/store-index.ts';
import { wordsOf } from '../../src/knowledge/words.ts';

const DOCS = new URL('../../docs/reference/', import.meta.url);

describe('rankings of words and vectors', () => {
  it('have the first of all before the others, with the score 1', () => {
    const [first] = fused([
      { by: 'words', chunks: [7, 8] },
      { by: 'vectors', chunks: [7, 9] },
    ]);
    expect(first).toEqual({ chunk: 7, similarity: 1 });
  });

  it('have the first by words before the nearest vector, where each is in its own ranking alone', () => {
    const found = fused([
      { by: 'vectors', chunks: [1, 2, 3] },
      { by: 'words', chunks: [9] },
    ]);
    expect(found.map(({ chunk }) => chunk)).toEqual([9, 1, 2, 3]);
  });

  it('have a chunk that both know before one that one of them puts second', () => {
    const found = fused([
      { by: 'vectors', chunks: [1, 2, 3] },
      { by: 'words', chunks: [3, 1] },
    ]);
    expect(found.map(({ chunk }) => chunk)).toEqual([3, 1, 2]);
  });

  it('find the one chunk that has a word, whatever vectors are near it', () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-fuse-'));
    const index = new StoreIndex(join(directory, 'vs_docs.sqlite'));
    try {
      const texts = readdirSync(DOCS).flatMap(
        (name) => readFileSync(new URL(name, DOCS), 'utf8').match(/(?:.*\n){1,8}/g) ?? [],
      );
      const chunks = texts.map((text, start) => ({ start, end: start + 1, text }));
      const vectors = quantise(texts.map(embedLocally));
      index.add({
        fileId: 'f',
        version: '1',
        filename: 'f',
        attributes: {},
        segments: [{ chunks, vectors }],
      });
      const owners = new Map<string, number>();
      for (const text of texts)
        for (const word of new Set(wordsOf(text))) owners.set(word, (owners.get(word) ?? 0) + 1);
      // A word with another form elsewhere is found there as well: the index of words has stems.
      const beginnings = Map.groupBy(owners.keys(), (word) => word.slice(0, 4));
      const rare = [...owners].filter(
        ([word, count]) => count === 1 && word.length >= 8 && beginnings.get(word.slice(0, 4))?.length === 1,
      );
      expect(rare.length).toBeGreaterThan(50);
      const missed = rare.filter(([word]) => {
        const queries = [{ text: word, vector: quantise([embedLocally(word)]) }];
        const [hit] = index.search({ queries, filter: null, ranking: 'hybrid', most: 1, threshold: 0 });
        return !wordsOf(hit?.text ?? '').includes(word);
      });
      expect(missed).toEqual([]);
    } finally {
      index.remove();
      rmSync(directory, { recursive: true });
    }
  });
});
