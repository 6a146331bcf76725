import type { Recogniser, TextSpan } from '../recogniser.ts';

/** The most characters before and after the sign (RFC 5321). */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;

const local = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const leading = /^[.'`*_{}|~!/=]+/;
const domain =
  /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:xn--[a-z0-9-]{2,20}|\p{L}{2,24})(?![\p{L}\p{N}])/uy;

/** Looks around each sign, so that a long text without one costs nothing. */
export const emailAddress: Recogniser = {
  category: 'EMAIL_ADDRESS',
  reach: MAX_LOCAL + 1 + MAX_DOMAIN,
  // Without a space, but of letters of any script: behind some of them, a word may end anywhere.
  spaced: [new RegExp(`${local.source}{1,${MAX_LOCAL}}@${domain.source}`, 'u')],
  find(text) {
    const spans: TextSpan[] = [];
    for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
      const start = localStart(text, at);
      if (start === at || text[at - 1] === '.') continue;
      domain.lastIndex = at + 1;
      const [found] = domain.exec(text) ?? [];
      if (found !== undefined && found.length <= MAX_DOMAIN)
        spans.push({ start, end: at + 1 + found.length });
    }
    return spans;
  },
};

function localStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_LOCAL && local.test(text[start - 1] ?? '')) start -= 1;
  const [marks = ''] = leading.exec(text.slice(start, at)) ?? [];
  return start + marks.length;
}
