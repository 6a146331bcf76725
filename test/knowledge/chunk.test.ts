import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { chunksOf } from '../../src/knowledge/chunk/chunk.ts';
import { tokensOf } from '../../src/knowledge/chunk/tokens.ts';
import { TooLongText, unitsOf } from '../../src/knowledge/chunk/units.ts';

const MANY = 10_000_000;
const unitsIn = (text: string) => unitsOf(text, tokensOf, MANY);
const chunked = (text: string, size = 100, overlap = 50) => chunksOf(text, unitsIn(text), { size, overlap });

const words = fc.constantFrom(
  'alpha',
  'Beta',
  'GAMMA',
  "don't",
  '42',
  '1234567',
  'naïve',
  '東京都',
  '😀',
  '…',
  'x'.repeat(300),
);
const gaps = fc.constantFrom(' ', '  ', '\n', '\n\n', '. ', '! ', '\t', '。', '');
const texts = fc.array(fc.tuple(words, gaps), { maxLength: 400 }).map((pairs) => pairs.flat().join(''));
const strategies = fc
  .integer({ min: 100, max: 400 })
  .chain((size) =>
    fc.record({ size: fc.constant(size), overlap: fc.integer({ min: 0, max: Math.floor(size / 2) }) }),
  );

describe('chunks', () => {
  it('have at most their tokens, in order, and leave out nothing but white space', () => {
    fc.assert(
      fc.property(texts, strategies, (text, strategy) => {
        const chunks = chunksOf(text, unitsIn(text), strategy);
        let covered = 0;
        for (const [at, { start, end, tokens }] of chunks.entries()) {
          const before = chunks[at - 1];
          expect(tokens).toBeLessThanOrEqual(strategy.size);
          expect(end).toBeGreaterThan(start);
          if (before) expect([start > before.start, end > before.end]).toEqual([true, true]);
          expect(text.slice(covered, Math.max(covered, start)).trim()).toBe('');
          covered = end;
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
    );
  });

  it('share no more than the overlap', () => {
    fc.assert(
      fc.property(texts, strategies, (text, strategy) => {
        const units = unitsIn(text);
        const chunks = chunksOf(text, units, strategy);
        for (const [at, { start }] of chunks.entries()) {
          const before = chunks[at - 1]?.end ?? 0;
          const shared = units.tokens.filter((_, unit) => {
            const end = units.ends[unit] ?? 0;
            return end > start && end <= before;
          });
          expect(shared.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(strategy.overlap);
        }
      }),
    );
  });

  it('end behind a paragraph or a sentence where the last fifth has one', () => {
    const sentence = 'The quick brown fox jumps over the lazy dog.';
    const text = Array(60).fill(sentence).join(' ');
    const ends = chunked(text).map(({ end }) => text.slice(end - 1, end));
    expect(new Set(ends)).toEqual(new Set(['.']));
    const paragraphs = `${Array(9).fill(sentence).join(' ')}\n\n${Array(9).fill(sentence).join(' ')}`;
    const [first] = chunked(paragraphs, 100, 0);
    expect(paragraphs.slice(first?.start, first?.end).endsWith('\n\n')).toBe(true);
  });

  it('cut no character in two', () => {
    const text = '😀'.repeat(5000);
    for (const { start, end } of chunked(text)) expect(text.slice(start, end).isWellFormed()).toBe(true);
  });
});

describe('tokens', () => {
  it('are those of o200k_base, piece by piece', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // A run of letters that is longer than a piece is cut, and may then have other tokens.
        const short = text.replaceAll('x'.repeat(300), 'x');
        expect(unitsIn(short).total).toBe(countTokens(short));
      }),
    );
  });

  it('are counted up to a bound', () => {
    expect(() => unitsOf('word '.repeat(200), tokensOf, 100)).toThrow(TooLongText);
  });
});
