/*
 * Positions in JSON text that a parser took already, so that nothing is checked again. The text has one character for each
 * byte of its UTF-8 (`latin1`): positions are those of the bytes, and whatever has a meaning in JSON is one byte.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const SPACE = 0x20;

/** Characters of a string that are looked at one by one before its end is searched for: a search costs as much as some dozens. */
const NEAR = 64;

/** The end of the string that begins at `start`: the position behind its closing quote. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const near = at + NEAR;
    while (at < near) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      at += code === BACKSLASH ? 2 : 1;
    }
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new Error('A string of a JSON text has no end.');
    let run = quote;
    while (run > at && text.charCodeAt(run - 1) === BACKSLASH) run--;
    if ((quote - run) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** The end of the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  return first === OBJECT || first === ARRAY ? endOfNested(text, start) : endOfWord(text, start);
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    at++;
    if (code === OBJECT || code === ARRAY) depth++;
    else if ((code === OBJECT_END || code === ARRAY_END) && --depth === 0) return at;
  }
  throw new Error('A value of a JSON text has no end.');
}

/** The end of a number, `true`, `false` or `null`. */
function endOfWord(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COMMA || code === OBJECT_END || code === ARRAY_END) break;
  }
  return at;
}

/** The first position from `at` on that holds no white space. */
export function afterSpace(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) <= SPACE) next++;
  return next;
}

/** How many members the objects of a text have, at all depths, counting those that come twice twice. */
export function countMembers(text: string): number {
  let count = 0;
  let at = nextQuote(text, 0);
  while (at >= 0) {
    const behind = afterSpace(text, endOfString(text, at));
    // Only names are followed by a colon.
    if (text.charCodeAt(behind) === COLON) count++;
    at = nextQuote(text, behind);
  }
  return count;
}

/** The next string from a position outside strings on; below zero when there is none. */
export function nextQuote(text: string, start: number): number {
  for (let at = start; at < start + NEAR; at++) if (text.charCodeAt(at) === QUOTE) return at;
  return text.indexOf('"', start + NEAR);
}

export const isObjectAt = (text: string, at: number): boolean => text.charCodeAt(at) === OBJECT;
export const isArrayAt = (text: string, at: number): boolean => text.charCodeAt(at) === ARRAY;
export const isCommaAt = (text: string, at: number): boolean => text.charCodeAt(at) === COMMA;
export const isQuoteAt = (text: string, at: number): boolean => text.charCodeAt(at) === QUOTE;
