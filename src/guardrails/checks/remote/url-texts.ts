/** What ends a URL within prose. */
const url = /https?:\/\/[^\s<>"'`{}|\\^[\]]+/gi;

/** The http(s) URLs of a text, each once, without the punctuation of the sentence around them. */
export const urlsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(url)].map(([found]) => trimmed(found))),
];

function trimmed(found: string): string {
  let end = found.length;
  while (end > 0 && isOutside(found, end)) end -= 1;
  return found.slice(0, end);
}

/** Whether the last character belongs to the sentence: its punctuation, or a parenthesis that was opened before the URL. */
function isOutside(found: string, end: number): boolean {
  const last = found[end - 1] ?? '';
  if (last !== ')') return '.,;:!?*_~'.includes(last);
  const opened = found.indexOf('(');
  return opened < 0 || opened >= end;
}
