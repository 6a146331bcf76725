import type { Chunking } from '../documents.ts';
import type { Units } from './units.ts';

/** A part of a text, by the places of its first and behind its last UTF-16 unit. */
export type ChunkRange = { start: number; end: number; tokens: number };

/** Looks for a better end in the last fifth of a chunk. */
const SEARCHED = 0.2;

/**
 * The chunks of a text: each as large as the strategy allows, but cut behind a paragraph, a sentence or a word where the
 * last fifth has one. Each begins with as many whole units of the one before as the overlap has room for. Chunks of white
 * space are left out.
 */
export function chunksOf(text: string, { ends, tokens }: Units, { size, overlap }: Chunking): ChunkRange[] {
  const chunks: ChunkRange[] = [];
  const startOf = (unit: number): number => (unit === 0 ? 0 : (ends[unit - 1] ?? 0));
  let first = 0;
  while (first < ends.length) {
    const limit = unitsWithin(tokens, first, size);
    const after = limit === ends.length ? limit : bestCut(text, { ends, tokens }, first, limit);
    const [start, end] = [startOf(first), startOf(after)];
    if (text.slice(start, end).trim() !== '')
      chunks.push({ start, end, tokens: sumOf(tokens, first, after) });
    if (after === ends.length) break;
    first = Math.max(first + 1, overlapStart(tokens, after, overlap));
  }
  return chunks;
}

/** The unit behind the last one that fits. A unit is always smaller than a chunk. */
function unitsWithin(tokens: readonly number[], first: number, size: number): number {
  let sum = 0;
  let unit = first;
  while (unit < tokens.length && sum + (tokens[unit] ?? 0) <= size) sum += tokens[unit++] ?? 0;
  return Math.max(unit, first + 1);
}

function overlapStart(tokens: readonly number[], after: number, overlap: number): number {
  let sum = 0;
  let unit = after;
  while (unit > 0 && sum + (tokens[unit - 1] ?? 0) <= overlap) sum += tokens[--unit] ?? 0;
  return unit;
}

/** The last of the best ends among the last units. */
function bestCut(text: string, units: Omit<Units, 'total'>, first: number, limit: number): number {
  const searched = sumOf(units.tokens, first, limit) * SEARCHED;
  let best = { unit: limit, rank: 0 };
  let seen = 0;
  for (let unit = limit; unit > first + 1 && seen <= searched; unit--) {
    const rank = rankOf(text, units.ends[unit - 1] ?? 0);
    if (rank > best.rank) best = { unit, rank };
    if (best.rank === PARAGRAPH) break;
    seen += units.tokens[unit - 1] ?? 0;
  }
  return best.unit;
}

const PARAGRAPH = 4;

/** How well a text can be cut at a place: at a paragraph 4, a line 3, a sentence 2, a word 1, anywhere 0. */
function rankOf(text: string, place: number): number {
  const before = text.slice(Math.max(0, place - 3), place);
  if (/\n\r?\n$/.test(before)) return PARAGRAPH;
  if (before.endsWith('\n')) return 3;
  const isBeforeSpace = /\s/.test(text.charAt(place));
  if (/[.!?…][)"'”’]?$/.test(before) && isBeforeSpace) return 2;
  if (/[。！？]$/.test(before)) return 2;
  return isBeforeSpace ? 1 : 0;
}

function sumOf(tokens: readonly number[], from: number, to: number): number {
  let sum = 0;
  for (let unit = from; unit < to; unit++) sum += tokens[unit] ?? 0;
  return sum;
}
