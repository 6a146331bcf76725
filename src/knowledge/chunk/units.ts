import { eachPiece, wholeCharacters } from './pieces.ts';

/** Tokens of the largest unit: half of the smallest chunk that can be asked for, so that chunks always move on. */
const MOST_TOKENS = 50;

/** A text as the units that chunks are made of: where each ends, and its tokens. */
export type Units = { ends: number[]; tokens: number[]; total: number };

/** Throws a TooLongText as soon as the text has more tokens than `most`. */
export function unitsOf(text: string, tokensOf: (piece: string) => number, most: number): Units {
  const units: Units = { ends: [], tokens: [], total: 0 };
  const take = (start: number, end: number): void => {
    const tokens = tokensOf(text.slice(start, end));
    if (tokens > MOST_TOKENS && end - start > 2) {
      const middle = wholeCharacters(text, start + ((end - start) >> 1));
      take(start, middle);
      if (middle < end) take(middle, end);
      return;
    }
    units.ends.push(end);
    units.tokens.push(tokens);
    units.total += tokens;
    if (units.total > most) throw new TooLongText(most);
  };
  eachPiece(text, take);
  return units;
}

export class TooLongText extends Error {
  constructor(most: number) {
    super(`The text has more than ${most} tokens.`);
  }
}
