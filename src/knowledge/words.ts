/** Scripts that are written without spaces: their pairs of characters stand for words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text in lower case, without accents: what both kinds of search compare. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const found = plain.match(WORD) ?? [];
  return UNSPACED.test(plain) ? found.flatMap(partsOf) : found;
}

/** `東京都` -> `東京`, `京都`; other words stay whole. */
function partsOf(word: string): string[] {
  if (!UNSPACED.test(word)) return [word];
  const characters = [...word];
  if (characters.length < 3) return [word];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}
