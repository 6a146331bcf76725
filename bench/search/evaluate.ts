import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunksOf } from '../../src/knowledge/chunk/chunk.ts';
import { tokensOf } from '../../src/knowledge/chunk/tokens.ts';
import { unitsOf } from '../../src/knowledge/chunk/units.ts';
import { embedLocally } from '../../src/knowledge/embed/local.ts';
import { quantise } from '../../src/knowledge/embed/quantise.ts';
import { StoreIndex } from '../../src/knowledge/index/store-index.ts';
import { questions } from './questions.ts';

/** How often one of the first five results has the answer, and the mean of one divided by the rank of the first that has it. */
export type Quality = { ranking: string; recall: number; mrr: number };

const DOCS = new URL('../../docs/', import.meta.url);
const CHUNKING = { size: 200, overlap: 50 };
const MOST = 10;

/** Asks 40 questions on the pages in docs/, which come with this product under its licence. */
export function evaluate(): Quality[] {
  const directory = mkdtempSync(join(tmpdir(), 'search-'));
  const index = new StoreIndex(join(directory, 'vs_docs.sqlite'));
  try {
    for (const name of readdirSync(DOCS).filter((file) => file.endsWith('.md'))) {
      const text = readFileSync(new URL(name, DOCS), 'utf8');
      const cut = chunksOf(text, unitsOf(text, tokensOf, 10_000_000), CHUNKING);
      const chunks = cut.map(({ start, end }) => ({ start, end, text: text.slice(start, end) }));
      const vectors = quantise(chunks.map((chunk) => embedLocally(chunk.text)));
      index.add({
        fileId: name,
        version: '1',
        filename: name,
        attributes: {},
        segments: [{ chunks, vectors }],
      });
    }
    return (['hybrid', 'vectors'] as const).map((ranking) => qualityOf(index, ranking));
  } finally {
    index.remove();
    rmSync(directory, { recursive: true });
  }
}

function qualityOf(index: StoreIndex, ranking: 'hybrid' | 'vectors'): Quality {
  let [found, reciprocal] = [0, 0];
  for (const [text, answer] of questions) {
    const queries = [{ text, vector: quantise([embedLocally(text)]) }];
    const hits = index.search({ queries, filter: null, ranking, most: MOST, threshold: 0 });
    const rank = hits.findIndex((hit) => hit.text.includes(answer));
    if (rank >= 0 && rank < 5) found += 1;
    if (rank >= 0) reciprocal += 1 / (rank + 1);
  }
  return { ranking, recall: found / questions.length, mrr: reciprocal / questions.length };
}
