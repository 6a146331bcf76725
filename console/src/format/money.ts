import { NONE } from './number.ts';

const formats = new Map<number, Intl.NumberFormat>();

/** Made once for each number of digits: making one takes longer than a hundred uses of it. */
function dollars(digits: number): Intl.NumberFormat {
  const known = formats.get(digits);
  if (known) return known;
  const made = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formats.set(digits, made);
  return made;
}

/**
 * US cents as dollars, with as many digits as it takes to tell them from nothing: `$41.20`, `$0.0039`. What nobody knows is
 * `unknown`, and never `$0`.
 */
export function money(value: number | null | undefined): string {
  if (value === null || value === undefined) return 'unknown';
  const amount = value / 100;
  if (amount === 0) return '$0';
  const size = Math.abs(amount);
  if (size >= 100_000) return dollars(0).format(amount);
  if (size >= 1) return dollars(2).format(amount);
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
