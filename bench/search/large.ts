import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantise } from '../../src/knowledge/embed/quantise.ts';
import { StoreIndex } from '../../src/knowledge/index/store-index.ts';

const [FILES, CHUNKS, DIMENSIONS, SEARCHES] = [1000, 100, 256, 200];
/** Words of the texts: a word is the rarer the higher its number, as in a language. */
const WORDS = 20_000;

let state = 88_172_645;
/** From 0 to 1, the same in every run. */
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}
const word = () => `w${Math.floor(WORDS ** random())}`;
const words = (count: number) => Array.from({ length: count }, word).join(' ');
const vector = () => Array.from({ length: DIMENSIONS }, () => random() + random() - 1);

/** Fills a store with 100,000 chunks of 256 dimensions, searches it with a filter, and opens it again as after a kill. */
export function measureLarge(): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'search-'));
  const path = join(directory, 'vs_large.sqlite');
  try {
    const filled = timed(() => fill(path));
    const index = filled.value;
    const times = Array.from({ length: SEARCHES }, () => timed(() => ask(index)).ms).sort(
      (one, other) => one - other,
    );
    // What a killed process leaves is opened as it lies there: nothing has closed it.
    const again = timed(() => new StoreIndex(path));
    const hits = ask(again.value).length;
    index.close();
    again.value.close();
    return [
      `${FILES * CHUNKS} chunks of ${DIMENSIONS} dimensions indexed in ${(filled.ms / 1000).toFixed(1)} s`,
      `search by words and vectors with a filter: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms`,
      `opened again in ${(again.ms / 1000).toFixed(1)} s, ${hits} results`,
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function fill(path: string): StoreIndex {
  const index = new StoreIndex(path);
  for (let file = 0; file < FILES; file++) {
    const chunks = Array.from({ length: CHUNKS }, (_, place) => ({
      start: place,
      end: place + 1,
      text: words(60),
    }));
    const vectors = quantise(chunks.map(vector));
    const attributes = { half: file % 2, year: 2000 + (file % 25) };
    index.add({
      fileId: `file-${file}`,
      version: '1',
      filename: 'f',
      attributes,
      segments: [{ chunks, vectors }],
    });
  }
  return index;
}

function ask(index: StoreIndex) {
  const queries = [{ text: words(6), vector: quantise([vector()]) }];
  const filter = { type: 'eq', key: 'half', value: 1 } as const;
  return index.search({ queries, filter, ranking: 'hybrid', most: 10, threshold: 0 });
}

function timed<T>(work: () => T): { value: T; ms: number } {
  const from = performance.now();
  const value = work();
  return { value, ms: performance.now() - from };
}

const at = (sorted: readonly number[], part: number): string =>
  (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
