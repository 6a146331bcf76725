import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Pieces } from '../../src/lib/pieces.ts';

/** Sizes of pieces, many of them tiny. */
const sizes = fc.array(fc.constantFrom(0, 1, 1, 1, 7, 900), { maxLength: 5000, size: 'max' });

const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index % 251));

function cut(lengths: readonly number[]): { whole: Buffer; pieces: Buffer[] } {
  const whole = bytesOf(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  return {
    whole,
    pieces: lengths.map((length) => {
      at += length;
      return whole.subarray(at - length, at);
    }),
  };
}

test('are the bytes that came, whole and from the end', () => {
  fc.assert(
    fc.property(sizes, fc.nat(20_000), (lengths, count) => {
      const { whole, pieces } = cut(lengths);
      const held = new Pieces();
      for (const piece of pieces) held.add(piece);
      expect(held.size).toBe(whole.length);
      expect(held.joined().equals(whole)).toBe(true);
      expect(held.last(count).equals(whole.subarray(Math.max(0, whole.length - count)))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('that are let go are the oldest, and never too many', () => {
  fc.assert(
    fc.property(sizes, fc.nat(5000), (lengths, least) => {
      const { whole, pieces } = cut(lengths);
      const held = new Pieces();
      for (const piece of pieces) {
        held.add(piece);
        held.keepLast(least);
      }
      const kept = held.joined();
      expect(kept.length).toBe(held.size);
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(least, whole.length));
      expect(kept.equals(whole.subarray(whole.length - kept.length))).toBe(true);
    }),
    { numRuns: 30 },
  );
});
