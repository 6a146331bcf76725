import type { LimitUnit } from '../../limits/limit.ts';

const NANODOLLARS = 1e9;

/** An amount in words: `$0.31`, `1,150 tokens`, `3 requests`. */
export function amountText(unit: LimitUnit, amount: number): string {
  if (unit === 'cost') return `$${dollars(amount)}`;
  const name = amount === 1 ? unit.slice(0, -1) : unit;
  return `${amount.toLocaleString('en-US')} ${name}`;
}

/** Cents where those are exact enough, else as many digits as the amount has. */
function dollars(nanodollars: number): string {
  const value = nanodollars / NANODOLLARS;
  if (value === 0 || (value >= 0.1 && Number.isInteger(Math.round(nanodollars) / 1e7)))
    return value.toFixed(2);
  return String(Number(value.toPrecision(6)));
}

/** The unit in which an amount of a limit is shown: dollars for cost. */
export const shownAmount = (unit: LimitUnit, amount: number): number =>
  unit === 'cost' ? amount / NANODOLLARS : amount;
