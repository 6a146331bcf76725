import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { money, perMillion } from '../../console/src/format/money.ts';
import { initials } from '../../console/src/format/name.ts';
import { bytes, change, count, counted, percent, shortCount } from '../../console/src/format/number.ts';
import { clock, coarse, duration, relative } from '../../console/src/format/time.ts';

test.each([
  ['ada.lovelace@example.com', 'AL'],
  ['ada@example.com', 'A'],
  ['ci', 'C'],
  ['', ''],
])('the initials of %j', (name, letters) => expect(initials(name)).toBe(letters));

describe('money', () => {
  it.each([
    [null, 'unknown'],
    [0, '$0'],
    [0.389, '$0.0039'],
    [0.00004, '$0.00000040'],
    [41.2, '$0.41'],
    [4120, '$41.20'],
    [41_280_049, '$412,800'],
    [-250, '-$2.50'],
  ])('%s cents are %s', (cents, text) => {
    expect(money(cents)).toBe(text);
  });

  test('something is never shown as nothing', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (cents) => {
        expect(money(cents)).toMatch(/[1-9]/);
      }),
    );
  });

  it('of a token is that of a million', () => {
    expect(perMillion(0.00025)).toBe('$2.50/M');
    expect(perMillion(null)).toBe('–');
  });
});

describe('numbers', () => {
  it('have their thousands apart, or are short', () => {
    expect([count(12_408), count(null), shortCount(9_999), shortCount(12_408)]).toEqual([
      '12,408',
      '–',
      '9,999',
      '12.4K',
    ]);
    expect([counted(1, 'log'), counted(2, 'log'), counted(0, 'entry', 'entries')]).toEqual([
      '1 log',
      '2 logs',
      '0 entries',
    ]);
  });

  it('are shares that are nothing or all only when they are', () => {
    expect([0, 0.0004, 0.61, 0.99996, 1].map(percent)).toEqual([
      '0 %',
      '0.04 %',
      '61 %',
      '> 99.9 %',
      '100 %',
    ]);
    expect([percent(null), percent(Number.NaN)]).toEqual(['–', '–']);
  });

  it('change by a share of what they were', () => {
    expect([change(88, 100), change(112, 100), change(100, 100), change(5, 0), change(0, 0)]).toEqual([
      '−12 %',
      '+12 %',
      '±0 %',
      'new',
      '±0 %',
    ]);
  });

  it('are compared with nothing where there was next to nothing', () => {
    expect([change(100, 1), change(101, 1)]).toEqual(['+9,900 %', 'new']);
  });

  it('are bytes', () => {
    expect([0, 512, 1024, 524_288, 1_572_864].map(bytes)).toEqual([
      '0 B',
      '512 B',
      '1 KiB',
      '512 KiB',
      '1.5 MiB',
    ]);
  });
});

describe('times', () => {
  it('that pass have two units at most', () => {
    expect([0, 809, 1900, 12_340, 125_000, 3_600_000, 90_000_000].map(duration)).toEqual([
      '0 ms',
      '809 ms',
      '1.9 s',
      '12.3 s',
      '2 min 5 s',
      '1 h',
      '1 d 1 h',
    ]);
    expect(duration(null)).toBe('–');
  });

  it('are of the zone', () => {
    expect(clock('2026-11-23T14:02:11.204Z', 'utc')).toBe('14:02:11.204');
  });

  it('are told from now', () => {
    const now = Date.parse('2026-11-23T14:00:00Z');
    const at = (milliseconds: number) => relative(now + milliseconds, now);
    expect([at(-3000), at(-120_000), at(12 * 86_400_000)]).toEqual(['now', '2 min ago', 'in 12 d']);
    expect(coarse(86_400_000 * 90)).toBe('3 months');
  });
});
