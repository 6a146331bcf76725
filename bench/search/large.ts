import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantise } from '../../src/knowledge/embed/quantise.ts';
import { StoreIndex } from '../../src/knowledge/index/store-index.ts';
import { createScan } from '../../src/knowledge/kernel/scan.ts';

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
    const scan = bareScan();
    const bare: Timed<void>[] = [];
    const searches = Array.from({ length: SEARCHES }, () => {
      bare.push(timed(scan));
      return timed(() => ask(index));
    });
    const times = searches.map(({ ms }) => ms).sort((one, other) => one - other);
    // What a killed process leaves is opened as it lies there: nothing has closed it.
    const again = timed(() => new StoreIndex(path));
    const hits = ask(again.value).length;
    index.close();
    again.value.close();
    return [
      `${FILES * CHUNKS} chunks of ${DIMENSIONS} dimensions indexed in ${(filled.ms / 1000).toFixed(1)} s`,
      `search by words and vectors with a filter: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms`,
      `processor time of one: ${meanOf(searches)} ms, where the kernel alone takes ${meanOf(bare)} ms for all vectors`,
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

/** The kernel over as many bytes as the store has vectors: what the machine can do in the same minute. */
function bareScan(): () => void {
  const vectors = 65_536;
  const count = FILES * CHUNKS;
  const pages = Math.ceil((vectors + count * DIMENSIONS) / 65_536);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const scan = createScan(memory);
  const block = 4096;
  return () => {
    for (let first = 0; first < count; first += block)
      scan({
        ...{ vectors: vectors + first * DIMENSIONS, count: Math.min(block, count - first) },
        ...{ stride: DIMENSIONS, query: 0, out: 8192 },
      });
  };
}

function ask(index: StoreIndex) {
  const queries = [{ text: words(6), vector: quantise([vector()]) }];
  const filter = { type: 'eq', key: 'half', value: 1 } as const;
  return index.search({ queries, filter, ranking: 'hybrid', most: 10, threshold: 0 });
}

type Timed<T> = { value: T; ms: number; processorMs: number };

function timed<T>(work: () => T): Timed<T> {
  const [from, used] = [performance.now(), process.threadCpuUsage()];
  const value = work();
  const { user, system } = process.threadCpuUsage(used);
  return { value, ms: performance.now() - from, processorMs: (user + system) / 1000 };
}

const meanOf = (measured: readonly Timed<unknown>[]): string =>
  (measured.reduce((sum, { processorMs }) => sum + processorMs, 0) / measured.length).toFixed(1);

const at = (sorted: readonly number[], part: number): string =>
  (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
