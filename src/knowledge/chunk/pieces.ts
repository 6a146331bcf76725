/**
 * The pieces that the encoding `o200k_base` cuts a text into before it looks for tokens. No token reaches over the end of a
 * piece, so that the tokens of a text are those of its pieces.
 */
const CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?";
const UPPER = '\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}';
const LOWER = '\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}';
const PIECE = new RegExp(
  [
    `[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]*[${LOWER}]+${CONTRACTION}`,
    `[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]+[${LOWER}]*${CONTRACTION}`,
    '\\p{N}{1,3}',
    ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*',
    '\\s*[\\r\\n]+',
    '\\s+(?!\\S)',
    '\\s+',
  ].join('|'),
  'gu',
);

/** Characters that are looked at together: the pattern takes a text without any end for as long as it is squared. */
const MAX_PIECE = 200;

/** Calls `take` with the end of each piece, in order; pieces of more than 200 characters are cut. */
export function eachPiece(text: string, take: (start: number, end: number) => void): void {
  PIECE.lastIndex = 0;
  let start = 0;
  while (start < text.length) {
    const end = PIECE.test(text) ? PIECE.lastIndex : text.length;
    for (let from = start; from < end; ) {
      const to = end - from <= MAX_PIECE ? end : wholeCharacters(text, from + MAX_PIECE);
      take(from, to);
      from = to;
    }
    start = end;
  }
}

/** A place that is not inside a character of two units. */
export function wholeCharacters(text: string, place: number): number {
  const before = text.charCodeAt(place - 1);
  return before >= 0xd800 && before <= 0xdbff ? place + 1 : place;
}
