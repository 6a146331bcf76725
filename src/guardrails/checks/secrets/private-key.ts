import type { TextSpan } from '../personal-data/recogniser.ts';

const header = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const footer = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
/** Characters of the longest key, one of RSA with 8192 bits, with line breaks that may be written as `\r\n`. */
export const MAX_PRIVATE_KEY = 7_000;
/** A key up to its footer, as a stream may bring it. */
export const wholeKey = new RegExp(`${header.source}(?:(?!${footer.source})[^]){0,${MAX_PRIVATE_KEY}}`);
/** What the text of a key consists of, its headers included. */
const body = /(?:[A-Za-z0-9+/=:,\s-]|\\[rn]|\.)*/y;

/** Private keys in PEM, whole or cut off at their end. */
export function privateKeys(text: string): TextSpan[] {
  return [...text.matchAll(header)].map(({ 0: begin, index }) => {
    const from = index + begin.length;
    const rest = text.slice(from, index + MAX_PRIVATE_KEY);
    footer.lastIndex = 0;
    const closing = footer.exec(rest);
    if (closing !== null) return { start: index, end: from + closing.index + closing[0].length };
    body.lastIndex = 0;
    return { start: index, end: from + (body.exec(rest)?.[0].length ?? 0) };
  });
}
