import { wordsOf } from '../words.ts';

/** Numbers of an embedding that is made here. */
export const LOCAL_DIMENSIONS = 1024;

const WEIGHTS = { word: 1, pair: 0.6, part: 0.35 } as const;
/** Characters of the parts of words that are counted, marks of a word's ends included. */
const PARTS = [3, 4, 5] as const;

/**
 * An embedding without a model: words, pairs of words and parts of words, each counted at a place that its hash gives, of
 * length 1. Texts are near each other that share words or forms of words; it knows nothing of what words mean.
 */
export function embedLocally(text: string): Float32Array {
  const counts = new Map<number, { weight: number; count: number }>();
  const note = (hash: number, weight: number): void => {
    const known = counts.get(hash);
    if (known) known.count += 1;
    else counts.set(hash, { weight, count: 1 });
  };
  let before = '';
  for (const word of wordsOf(text)) {
    note(hashOf(word, 1), WEIGHTS.word);
    if (before !== '') note(hashOf(`${before} ${word}`, 2), WEIGHTS.pair);
    before = word;
    const marked = `^${word.slice(0, MAX_WORD)}$`;
    for (const length of PARTS)
      for (let at = 0; at + length <= marked.length; at++)
        note(hashOf(marked.slice(at, at + length), 3), WEIGHTS.part);
  }
  const vector = new Float32Array(LOCAL_DIMENSIONS);
  for (const [hash, { weight, count }] of counts) {
    const place = hash % LOCAL_DIMENSIONS;
    const sign = hash & 0x80000000 ? -1 : 1;
    vector[place] = (vector[place] ?? 0) + sign * weight * (1 + Math.log(count));
  }
  return vector;
}

/** Characters of a word whose parts are counted. */
const MAX_WORD = 40;

/** FNV-1a with a last mix, so that the low bits tell texts apart; `kind` keeps words and parts of words apart. */
function hashOf(text: string, kind: number): number {
  let hash = 0x811c9dc5 ^ kind;
  for (let at = 0; at < text.length; at++) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return hash >>> 0;
}
