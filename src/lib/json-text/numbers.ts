import { endOfString, nextQuote } from './scan.ts';

/** Numbers in more digits than a parser keeps apart, or so large or small that it may take them for others. */
const inexact = /-?[\d.]+[eE][-+]?\d+|[-\d.]{16,}/g;
/** The length of the shortest such number. */
const SHORTEST = 3;

/** As they are written, those numbers of a JSON text which a parser may read as the same although they differ. */
export function inexactNumbers(json: Buffer): string[] {
  const text = json.toString('latin1');
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = nextQuote(text, at);
    const end = quote < 0 ? text.length : quote;
    if (end - at >= SHORTEST)
      for (const [number] of text.slice(at, end).matchAll(inexact)) found.push(number);
    at = quote < 0 ? end : endOfString(text, quote);
  }
  return found;
}
