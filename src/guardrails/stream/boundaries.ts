/** Scripts that put no space between words: any place behind one of their characters is the end of one. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const invisible = /\p{Cf}|\p{Variation_Selector}|\p{Mn}|\p{Me}/u;
/** The number of a byte, of which more may follow: together they may be a coded word. */
const byteBefore = /(?:^|[^0-9a-z])(?:0x)?(?:[0-9a-f]{2}){1,8}[,:;]?\s$/i;

const SPACE = 0x20;

/** Whether a word, a number or a run without spaces ends in front of a place. */
function isBoundary(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  if (code <= SPACE) return !byteBefore.test(text.slice(Math.max(0, at - 22), at));
  // Half of a pair is no place to cut at.
  if (code < 0x0e00 || (code >= 0xd800 && code <= 0xdbff)) return false;
  return spaceless.test(text[at - 1] ?? '');
}

/** The last place up to `limit` at which a text may be cut; 0 where there is none. */
export function boundaryBefore(text: string, limit: number): number {
  for (let at = Math.min(limit, text.length); at > 0; at--) if (isBoundary(text, at)) return at;
  return 0;
}

/** How many characters of a text are shown on a screen. */
export function visibleIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (isVisible(text, at)) count++;
  return count;
}

const isVisible = (text: string, at: number): boolean =>
  text.charCodeAt(at) < 0xad || !invisible.test(text[at] ?? '');

/** The place `count` characters in front of another one, not counting what no screen shows. */
export function backBy(text: string, from: number, count: number): number {
  let left = count;
  let at = from;
  while (at > 0 && left > 0) {
    at--;
    if (isVisible(text, at)) left--;
  }
  return at;
}
