/** What a model is asked about at once, at least; and what of the text in front of it comes along. In tokens of prose. */
const PIECE_TOKENS = 200;
const CONTEXT_TOKENS = 50;
/** Characters of a token: of alphabets, and of scripts that write a word in one or two signs. */
const PER_TOKEN = 4;
const PER_TOKEN_OF_SIGNS = 1;
/** Where nothing ends a sentence for as many pieces, the end of a word is as good. */
const MOST_PIECES = 4;

const signs = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;
const ends = /[.!?…]["'”’)\]]*(?=\s)|[。！？]|\n/g;

/** Characters of a text in the manner of this one for the context of the next piece. */
export const contextOf = (text: string): number => Math.ceil(CONTEXT_TOKENS * lengthOfToken(text));

/**
 * Where the first piece of a text may end that is long enough to be judged and ends with a sentence; null while more of it is to
 * be waited for. The last end of a sentence is taken, so that a service that is slower than the model gets longer pieces.
 */
export function pieceEnd(text: string): number | null {
  const least = PIECE_TOKENS * lengthOfToken(text);
  if (text.length < least) return null;
  const last = [...text.matchAll(ends)].at(-1);
  const end = last ? last.index + last[0].length : 0;
  if (end >= least) return end;
  return text.length >= least * MOST_PIECES ? text.length : null;
}

function lengthOfToken(text: string): number {
  const ofSigns = (text.match(signs)?.length ?? 0) / Math.max(1, text.length);
  return PER_TOKEN + (PER_TOKEN_OF_SIGNS - PER_TOKEN) * ofSigns;
}
