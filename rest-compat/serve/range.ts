import { GatewayError } from '../../src/errors/index.ts';

/** The bytes from `start` to `end`, both included. */
export type Range = { start: number; end: number };

/**
 * The part of `length` bytes that a header `Range` asks for (RFC 9110, section 14.2); null for the whole, also where the header
 * asks for several parts or is in no form that is known. Throws RANGE_NOT_SATISFIABLE for a part beyond the end.
 */
export function rangeOf(header: string | undefined, length: number): Range | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return null;
  const range =
    first === ''
      ? { start: Math.max(0, length - Number(last)), end: length - 1 }
      : { start: Number(first), end: Math.min(length - 1, last === '' ? length - 1 : Number(last)) };
  // A last byte before the first one makes the header none at all.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  if (range.start <= range.end && (first !== '' || Number(last) > 0)) return range;
  throw new GatewayError('RANGE_NOT_SATISFIABLE', { headers: { 'content-range': `bytes */${length}` } });
}
