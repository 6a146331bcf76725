/** What a part of a chart is drawn in: one of five series, what is left, or failure. */
export type Colour = 1 | 2 | 3 | 4 | 5 | 'other' | 'bad' | 'muted';

/** Value of CSS. */
export const paint = (colour: Colour): string =>
  colour === 'bad' || colour === 'muted' ? `var(--${colour})` : `var(--series-${colour})`;

const seen = new Map<string, 1 | 2 | 3 | 4 | 5>();

/** The colour of a name, the same for the whole visit; from the sixth name on they begin anew. */
export function colourOf(name: string): 1 | 2 | 3 | 4 | 5 {
  const known = seen.get(name);
  if (known) return known;
  const colour = ((seen.size % 5) + 1) as 1 | 2 | 3 | 4 | 5;
  seen.set(name, colour);
  return colour;
}
