import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunksOf } from '../../src/knowledge/chunk/chunk.ts';
import { tokensOf } from '../../src/knowledge/chunk/tokens.ts';
import { unitsOf } from '../../src/knowledge/chunk/units.ts';
import { type QuantisedVectors, quantise } from '../../src/knowledge/embed/quantise.ts';
import { StoreIndex } from '../../src/knowledge/index/store-index.ts';
import { questions } from './questions.ts';

/** How often one of the first five results has the answer, and the mean of one divided by the rank of the first that has it. */
export type Quality = { ranking: string; recall: number; mrr: number; missed: string[] };

/** Makes the vectors of texts. */
export type Embed = (texts: string[]) => Promise<ArrayLike<number>[]>;

const DOCS = new URL('../../docs/', import.meta.url);
const CHUNKING = { size: 200, overlap: 50 };
const MOST = 10;
const FIRST = 5;

/**
 * Asks 40 questions on the pages in docs/, which come with this product under its licence. Its figures compare two programs on the
 * same pages: the more pages there are, the more of them stand before the one that a question is for.
 */
export async function evaluate(embed: Embed): Promise<{ chunks: number; qualities: Quality[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'search-'));
  const index = new StoreIndex(join(directory, 'vs_docs.sqlite'));
  let count = 0;
  try {
    for (const name of readdirSync(DOCS).filter((file) => file.endsWith('.md'))) {
      const text = readFileSync(new URL(name, DOCS), 'utf8');
      const cut = chunksOf(text, unitsOf(text, tokensOf, 10_000_000), CHUNKING);
      const chunks = cut.map(({ start, end }) => ({ start, end, text: text.slice(start, end) }));
      const vectors = quantise(await embed(chunks.map((chunk) => chunk.text)));
      count += chunks.length;
      const segments = [{ chunks, vectors }];
      index.add({ fileId: name, version: '1', filename: name, attributes: {}, segments });
    }
    const asked = (await embed(questions.map(([text]) => text))).map((vector) => quantise([vector]));
    const qualities = (['hybrid', 'vectors'] as const).map((ranking) => qualityOf(index, ranking, asked));
    return { chunks: count, qualities };
  } finally {
    index.remove();
    rmSync(directory, { recursive: true });
  }
}

function qualityOf(
  index: StoreIndex,
  ranking: 'hybrid' | 'vectors',
  asked: readonly QuantisedVectors[],
): Quality {
  const missed: string[] = [];
  let reciprocal = 0;
  for (const [at, [text, answer]] of questions.entries()) {
    const vector = asked[at];
    const queries = vector ? [{ text, vector }] : [];
    const hits = index.search({ queries, filter: null, ranking, weights: null, most: MOST, threshold: 0 });
    const rank = hits.findIndex((hit) => hit.text.includes(answer)) + 1;
    if (rank === 0 || rank > FIRST)
      missed.push(`${text} (${rank === 0 ? `not in ${MOST}` : `place ${rank}`})`);
    if (rank > 0) reciprocal += 1 / rank;
  }
  const recall = 1 - missed.length / questions.length;
  return { ranking, recall, mrr: reciprocal / questions.length, missed };
}
