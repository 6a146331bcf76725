import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forecastOf } from '../../../src/limits/counters/forecast.ts';
import { isSampled, placeOfSample, type UsageSample } from '../../../src/limits/counters/samples.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = Date.UTC(2026, 0, 1);

/** A counter that was used at these times by this much, as processes keep samples of it. */
function used(uses: readonly { at: number; amount: number }[], gen = 0) {
  const samples: Record<string, UsageSample> = {};
  let fill = 0;
  for (const { at, amount } of uses) {
    const { place, hourBegan } = placeOfSample({ at });
    if (!(place in samples) || (samples[place] as UsageSample).at < hourBegan)
      samples[place] = { at, fill, gen };
    fill += amount;
  }
  return { samples, fill, gen, cap: 1000, until: null as number | null };
}

describe('the forecast of a counter', () => {
  it('goes by the last day', () => {
    const counter = used([
      { at: start, amount: 500 },
      { at: start + 30 * HOUR, amount: 60 },
      { at: start + 40 * HOUR, amount: 180 },
    ]);
    const now = start + 2 * DAY;
    // 240 in a day, and 260 are left.
    expect(forecastOf(counter, now)).toEqual({
      exhaustsAt: now + 26 * HOUR,
      usedAtReset: null,
      pace: { ms: DAY, used: 240 },
    });
    expect(forecastOf({ ...counter, until: now + DAY }, now)).toMatchObject({
      exhaustsAt: null,
      usedAtReset: 980,
    });
  });

  it('goes by the time since the first use where that is shorter, and is silent for ten minutes', () => {
    const counter = used([{ at: start, amount: 100 }]);
    expect(forecastOf(counter, start + 599_999)).toBeNull();
    expect(forecastOf(counter, start + HOUR)).toMatchObject({
      exhaustsAt: start + 10 * HOUR,
      pace: { ms: HOUR, used: 100 },
    });
    expect(forecastOf({ ...counter, samples: {} }, start + HOUR)).toBeNull();
  });

  it('says that nothing is left where that is so, and nothing of what is not used or over', () => {
    const counter = used([{ at: start, amount: 1000 }]);
    expect(forecastOf(counter, start + HOUR)).toMatchObject({ exhaustsAt: start + HOUR });
    const idle = used([{ at: start, amount: 10 }]);
    const later = start + 3 * DAY;
    expect(forecastOf({ ...idle, until: later + DAY }, later)).toEqual({
      ...{ exhaustsAt: null, usedAtReset: 10, pace: { ms: DAY, used: 0 } },
    });
    expect(forecastOf({ ...idle, until: later }, later)).toBeNull();
  });

  it('forgets what was counted before a reset', () => {
    const before = used([{ at: start, amount: 900 }]);
    expect(forecastOf({ ...before, gen: 1, fill: 0 }, start + HOUR)).toBeNull();
  });

  it('keeps at most 26 samples, and misses less than an hour of a day', () => {
    const uses = fc.array(
      fc.record({
        at: fc.integer({ min: start, max: start + 4 * DAY }),
        amount: fc.integer({ min: 1, max: 9 }),
      }),
      { minLength: 1, maxLength: 200 },
    );
    fc.assert(
      fc.property(uses, (given) => {
        const sorted = given.toSorted((one, other) => one.at - other.at);
        const now = start + 4 * DAY;
        const counter = { ...used(sorted), cap: 1e9 };
        expect(Object.keys(counter.samples).length).toBeLessThanOrEqual(26);
        const forecast = forecastOf(counter, now);
        const sumSince = (since: number) =>
          sorted.filter(({ at }) => at >= since).reduce((sum, { amount }) => sum + amount, 0);
        if (forecast === null) return;
        expect(forecast.pace.used).toBeLessThanOrEqual(sumSince(now - DAY));
        expect(forecast.pace.used).toBeGreaterThanOrEqual(sumSince(now - DAY + HOUR));
      }),
    );
  });
});

describe('samples', () => {
  it('are kept of usage limits whose period is a day at least', () => {
    const [usage, rate] = [{ kind: 'usage' } as const, { kind: 'rate' } as const];
    expect(isSampled(usage, { from: null, until: null })).toBe(true);
    expect(isSampled(usage, { from: start, until: start + DAY })).toBe(true);
    expect(isSampled(usage, { from: start, until: start + HOUR })).toBe(false);
    expect(isSampled(rate, { from: null, until: null })).toBe(false);
  });
});
