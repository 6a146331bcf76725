import { useCallback, useMemo, useState } from 'react';
import { dateAndTime } from '../format/time.ts';
import { useSearch } from './address.ts';
import { useZone } from './stored.ts';

const MINUTE = 60_000;

export const ranges = [
  { value: '15m', label: 'Last 15 minutes', short: '15 min', milliseconds: 15 * MINUTE },
  { value: '1h', label: 'Last hour', short: '1 h', milliseconds: 60 * MINUTE },
  { value: '24h', label: 'Last 24 hours', short: '24 h', milliseconds: 24 * 60 * MINUTE },
  { value: '7d', label: 'Last 7 days', short: '7 d', milliseconds: 7 * 24 * 60 * MINUTE },
  { value: '30d', label: 'Last 30 days', short: '30 d', milliseconds: 30 * 24 * 60 * MINUTE },
  { value: '90d', label: 'Last 90 days', short: '90 d', milliseconds: 90 * 24 * 60 * MINUTE },
] as const;

export type RangeName = (typeof ranges)[number]['value'];

export type Range = {
  /** ISO times of the range; the end is now where it reaches until now. */
  from: string;
  to: string;
  /** Whether it reaches until now, and moves with it. */
  isOpen: boolean;
  /** One of `ranges`; null for a range between two times. */
  name: RangeName | null;
  label: string;
  /** Has a range that reaches until now reach until the present moment again. */
  renew(): void;
  choose(name: RangeName): void;
  /** A range between two times, in milliseconds. */
  zoom(from: number, to: number): void;
};

/**
 * The time that the page is about, from the address: `range=24h`, or `from` and `to`. A range until now ends when the page was
 * opened, or when it was last renewed.
 */
export function useRange(fallback: RangeName = '24h'): Range {
  const [{ range, from, to }, change] = useSearch();
  const [zone] = useZone();
  const [renewals, setRenewals] = useState(0);
  const renew = useCallback(() => setRenewals((before) => before + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a renewal reads the clock again
  return useMemo(() => {
    const given = from && to && !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(to));
    const known = ranges.find(({ value }) => value === (range ?? fallback)) ?? ranges[2];
    const now = Date.now();
    const own = given
      ? {
          from,
          to,
          isOpen: false,
          name: null,
          label: `${dateAndTime(from, zone)} – ${dateAndTime(to, zone)}`,
        }
      : {
          from: new Date(now - known.milliseconds).toISOString(),
          to: new Date(now).toISOString(),
          isOpen: true,
          name: known.value,
          label: known.label,
        };
    return {
      ...own,
      renew,
      choose: (name) => change({ range: name, from: null, to: null }),
      zoom: (start, end) =>
        change({ range: null, from: new Date(start).toISOString(), to: new Date(end).toISOString() }),
    };
  }, [range, from, to, fallback, zone, change, renewals, renew]);
}
