/** Something in a text that attacks on models have in common. */
export type InjectionSign = {
  readonly name: string;
  /** How likely it is that a text with it is an attack, from 0 to 1; signs add up. */
  readonly weight: number;
  /** It has a fixed beginning and counts with a bound, so that long texts cost no more than short ones by the character. */
  readonly pattern: RegExp;
  /** What a text with the sign has in it at least, which is quicker to look for; signs may share one. */
  readonly needs?: RegExp;
};

/** A sign in English: words may stand in any case, and a space for any white space. */
export const sign = (name: string, weight: number, ...patterns: readonly string[]): InjectionSign[] =>
  patterns.map((pattern) => ({ name, weight, pattern: new RegExp(pattern.replaceAll(' ', '\\s'), 'iu') }));
