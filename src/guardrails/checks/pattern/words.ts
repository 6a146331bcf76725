import type { FindCut } from './cuts.ts';

/** The most characters of words in one expression; the engine refuses to compile much larger ones. */
const MAX_TOGETHER = 20_000;

/**
 * Finds words in a text, at most `limit` different ones; of words that overlap, the first in the text. An alternation of
 * plain words, which the engine compiles to a tree: at each place of the text it takes at most the longest word's length.
 */
export function wordFinder(words: readonly string[]): (text: string, limit: number) => string[] {
  const expressions = grouped(words).map((group) => new RegExp(group.map(escaped).join('|'), 'g'));
  return (text, limit) => {
    const found = new Set<string>();
    for (const expression of expressions) {
      for (const [word] of text.matchAll(expression)) {
        found.add(word);
        if (found.size >= limit) return [...found];
      }
    }
    return [...found];
  };
}

const escaped = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function grouped(words: readonly string[]): string[][] {
  const groups: string[][] = [];
  let length = MAX_TOGETHER;
  for (const word of words) {
    if (length + word.length > MAX_TOGETHER) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(word);
    length += word.length;
  }
  return groups;
}

/** What a word of a stream may end behind: spaces, and signs of scripts that put none between words. */
const mayEndAWord = /[\s\u0e00-\uffff]/;

/** Cuts texts in front of the beginning of a word that is looked for. One that has no end of a word in it needs no care. */
export function wordCut(words: readonly string[]): FindCut {
  const divided = words.filter((word) => mayEndAWord.test(word.slice(0, -1)));
  const longest = Math.max(0, ...divided.map(({ length }) => length));
  const byFirst = Map.groupBy(divided, (word) => word[0]);
  return (text, at) => {
    for (let from = Math.max(0, text.length - longest + 1); from < at; from++) {
      const end = text.slice(from);
      if (byFirst.get(text[from])?.some((word) => word.startsWith(end))) return from;
    }
    return at;
  };
}
