import type { TokenClasses } from '../usage/index.ts';
import { evaluate } from './calculation.ts';
import type { CostLine } from './cost-lines.ts';
import type { Multipliers, PriceList } from './price-list.ts';
import { broaderUnits, isTokenUnit } from './units.ts';

/** What is billed of a call: quantities by unit, and images where they have a price of their own. */
export type Billed = { classes: TokenClasses; images: BilledImages | null };
export type BilledImages = { count: number; quality: string; size: string };

type Rate = (unit: string) => number | null;

const NANODOLLARS_OF_A_CENT = 1e7;

/** Billionths of a US dollar, and the lines that add up to them. */
export type Cost = { nanodollars: number; lines: CostLine[] };

type Part = Omit<CostLine, 'nanodollars'> & { cents: number };

/**
 * What was used at its price, in billionths of a US dollar, rounded once at the end. Null as soon as a price is missing:
 * a cost without one of its parts would be wrong.
 */
export function costOf(
  { classes, images }: Billed,
  list: PriceList,
  multipliers: Multipliers | null,
): Cost | null {
  const rate: Rate = (unit) => rateOf(unit, list, multipliers);
  const parts: Part[] = [];
  let cents = 0;
  const add = (unit: string, quantity: number | null, price: number | null, part: number | null): boolean => {
    if (part === null) return false;
    parts.push({ unit, quantity, price, cents: part });
    cents += part;
    return true;
  };
  for (const [unit, quantity] of Object.entries(classes)) {
    if (hasExpression(unit, list)) continue;
    const price = rate(unit);
    if (!add(unit, quantity, price, price === null ? null : quantity * price)) return null;
  }
  for (const side of ['request', 'response'] as const) {
    const calculation = list.calculate?.[side];
    if (!calculation) continue;
    const part = evaluate(calculation, (name) => numberOf(name, classes, rate));
    if (!add(side, null, null, part)) return null;
  }
  if (images) {
    const price = imagePrice(images, list, multipliers);
    if (!add('image', images.count, price, price === null ? null : images.count * price)) return null;
  }
  // Prices are decimal fractions, their products are not exact: the last digits are noise and must not tip the rounding.
  const nanodollars = Math.round(Number((cents * NANODOLLARS_OF_A_CENT).toPrecision(14)));
  return Number.isSafeInteger(nanodollars) ? { nanodollars, lines: linesOf(parts, nanodollars) } : null;
}

/** Rounds each line, and gives the largest one what rounding took from their sum. */
function linesOf(parts: readonly Part[], total: number): CostLine[] {
  const lines = parts
    .filter(({ quantity, cents }) => quantity !== 0 || cents !== 0)
    .map(({ cents, ...part }) => ({ ...part, nanodollars: Math.round(cents * NANODOLLARS_OF_A_CENT) }));
  const largest = lines.reduce<CostLine | undefined>(
    (best, line) => (best && best.nanodollars >= line.nanodollars ? best : line),
    undefined,
  );
  if (largest) largest.nanodollars += total - lines.reduce((sum, { nanodollars }) => sum + nanodollars, 0);
  return lines;
}

/** Cents for one of a unit; null where neither the unit nor a broader one has a price. */
function rateOf(
  unit: string,
  { pay_as_you_go: prices }: PriceList,
  multipliers: Multipliers | null,
): number | null {
  if (!isTokenUnit(unit)) {
    const price = prices.additional_units?.[unit]?.price;
    const factor = multipliers?.additional_units?.[unit] ?? multipliers?.default ?? 1;
    return price === undefined ? null : price * factor;
  }
  const priced = [unit, ...broaderUnits[unit]].find((each) => prices[each] !== undefined);
  const price = priced && prices[priced]?.price;
  if (price === undefined) return null;
  return price * (multipliers?.[unit] ?? multipliers?.[priced as typeof unit] ?? multipliers?.default ?? 1);
}

/** US cents for one image. */
function imagePrice(
  { quality, size }: BilledImages,
  { pay_as_you_go: { image } }: PriceList,
  multipliers: Multipliers | null,
): number | null {
  const sizes = image?.[quality] ?? image?.default;
  const price = (sizes?.[size] ?? sizes?.default)?.price;
  return price === undefined ? null : price * (multipliers?.image?.default ?? multipliers?.default ?? 1);
}

/** Whether a unit is billed by an expression of the list instead of by itself. */
const hasExpression = (unit: string, { calculate }: PriceList): boolean =>
  isTokenUnit(unit) && calculate?.[/^(request|cache)_/.test(unit) ? 'request' : 'response'] !== undefined;

const quantities: Record<string, RegExp> = {
  input_tokens: /^request_/,
  output_tokens: /^(response|reasoning|prediction)_/,
  cache_read_tokens: /^cache_read_/,
  cache_write_tokens: /^cache_write_/,
};

/** What a name in an expression stands for. */
function numberOf(name: string, classes: TokenClasses, rate: Rate): number | null {
  if (name.startsWith('rates.')) return rate(name.slice('rates.'.length));
  const pattern = quantities[name];
  if (!pattern) return null;
  const counted = Object.entries(classes).filter(([unit]) => isTokenUnit(unit) && pattern.test(unit));
  return counted.reduce((total, [, quantity]) => total + quantity, 0);
}
