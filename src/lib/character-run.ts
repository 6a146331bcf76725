/** Of a UTF-16 unit. */
type IsPart = (character: string) => boolean;

const ASCII = 128;

/**
 * Tells whether a text has `least` characters of a kind in a row, as `/[…]{least}/` does. Looks from the far end of where such
 * a run could be, so that it skips most of a text whose runs are short: an expression looks at each place anew.
 */
export function runFinder(isPart: IsPart, least: number): (text: string) => boolean {
  const known = Uint8Array.from({ length: ASCII }, (_, code) => Number(isPart(String.fromCharCode(code))));
  const isIn = (code: number) => (code < ASCII ? known[code] === 1 : isPart(String.fromCharCode(code)));
  return (text) => {
    for (let end = least - 1; end < text.length; ) {
      let at = end;
      while (at > end - least && isIn(text.charCodeAt(at))) at -= 1;
      if (at === end - least) return true;
      end = at + least;
    }
    return false;
  };
}
