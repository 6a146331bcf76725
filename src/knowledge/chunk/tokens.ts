import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts that are kept: most pieces of a text are words that come again. */
const MOST_KEPT = 50_000;
/** Characters of the longest piece whose count is kept. */
const MAX_KEPT = 24;

const kept = new Map<string, number>();

/** The tokens of a piece under `o200k_base`. */
export function tokensOf(piece: string): number {
  if (piece.length > MAX_KEPT) return countTokens(piece);
  const known = kept.get(piece);
  if (known !== undefined) return known;
  const count = countTokens(piece);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(piece, count);
  return count;
}
