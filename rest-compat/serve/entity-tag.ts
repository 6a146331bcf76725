import { hash } from 'node:crypto';

/** A strong entity tag: two answers share it only when they are the same byte for byte, their encoding included. */
export const entityTag = (text: string, encoding?: string): string =>
  `"${hash('sha256', text, 'base64url')}${encoding ? `.${encoding}` : ''}"`;

export type Tag = { weak: boolean; opaque: string };

/** What `If-Match` or `If-None-Match` lists; null when it is not written as RFC 9110 says. */
export function readTags(header: string): '*' | Tag[] | null {
  if (header.trim() === '*') return '*';
  const tags: Tag[] = [];
  const next = /[\s,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?=,|$)/y;
  for (let found = next.exec(header); found; found = next.exec(header)) {
    tags.push({ weak: found[1] !== undefined, opaque: found[2] ?? '' });
    if (/^[\s,]*$/.test(header.slice(next.lastIndex))) return tags;
  }
  return null;
}

/** The same text has one tag for each encoding; of the encodings any will do, since all hold the same. */
const isTagOf = (opaque: string, tag: string): boolean => opaque.replace(/\.(br|gzip)"$/, '"') === tag;

/** The comparison of `If-None-Match`: a proxy that compressed the answer made its tag weak, and it still is the same. */
export const listsWeakly = (tags: '*' | Tag[] | null, tag: string): boolean =>
  tags === '*' || (tags?.some(({ opaque }) => isTagOf(opaque, tag)) ?? false);

/** The comparison of `If-Match`: only the very bytes count. */
export const listsStrongly = (tags: '*' | Tag[], tag: string): boolean =>
  tags === '*' || tags.some(({ weak, opaque }) => !weak && isTagOf(opaque, tag));
