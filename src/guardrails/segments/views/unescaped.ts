import type { NormalisedText } from './normalised.ts';

/** What stands for a character in a string of JSON, other than its number. */
const characters: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  n: '\n',
  r: '\r',
  t: '\t',
};
const escaped = /\\["\\/nrt]/;

/** A text that holds strings of JSON, such as the arguments of a tool, as those strings read; null where it reads the same. */
export function unescaped(text: string): NormalisedText | null {
  if (!text.includes('\\') || !escaped.test(text)) return null;
  let said = '';
  const starts: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const start = at;
    const character = text[at] === '\\' ? characters[text[at + 1] ?? ''] : undefined;
    if (character !== undefined) at++;
    said += character ?? text[at];
    starts.push(start);
  }
  starts.push(text.length);
  return { text: said, starts: Uint32Array.from(starts) };
}

/** What was read in a text that was itself read in another, with its places in that one. */
export const through = (inner: NormalisedText, outer: NormalisedText): NormalisedText => ({
  text: inner.text,
  starts: inner.starts.map((at) => outer.starts[at] ?? 0),
});
