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
