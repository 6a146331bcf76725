import { createHash } from 'node:crypto';

/**
 * JSON with one spelling for each value (RFC 8785): no spaces, members by the UTF-16 units of their names, numbers and texts
 * as ECMAScript writes them.
 */
export function canonicalised(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalised(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalised(member)}`);
  return `{${members.join(',')}}`;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
