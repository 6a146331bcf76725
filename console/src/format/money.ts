import { NONE } from './number.ts';

const dollars = (digits: number) =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
const cents = dollars(2);
const wholeDollars = dollars(0);

/**
 * US cents as dollars, with as many digits as it takes to tell them from nothing: `$41.20`, `$0.0039`. What nobody knows is
 * `unknown`, and never `$0`.
 */
export function money(value: number | null | undefined): string {
  if (value === null || value === undefined) return 'unknown';
  const amount = value / 100;
  if (amount === 0) return '$0';
  const size = Math.abs(amount);
  if (size >= 100_000) return wholeDollars.format(amount);
  if (size >= 1) return cents.format(amount);
  // Two digits that say something, as many places as that takes.
  const digits = Math.min(Math.max(2, 1 - Math.floor(Math.log10(size))), 9);
  return dollars(digits).format(amount);
}

/** US cents for one token as dollars for a million: `$2.50/M`. */
export const perMillion = (price: number | null | undefined): string =>
  price === null || price === undefined ? NONE : `${money(price * 1_000_000)}/M`;

/** Amounts that stand below each other: each with the digits of the finest. */
export function moneyAligned(value: number, digits: number): string {
  return dollars(digits).format(value / 100);
}
