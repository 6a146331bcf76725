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

/** An expression in which words may stand in any case, and a space for any white space. */
export const expression = (pattern: string): RegExp => new RegExp(pattern.replaceAll(' ', '\\s'), 'iu');

/** A sign in English. */
export const sign = (name: string, weight: number, ...patterns: readonly string[]): InjectionSign[] =>
  patterns.map((pattern) => ({ name, weight, pattern: expression(pattern) }));
