import { type Multipliers, tokenUnits } from '../../../recording/pricing/index.ts';
import type { PricingAdjustments } from './model.ts';
import { amountOf, namedOf, objectOf } from './price-values.ts';

const maxUnits = 100;

/** Factors on the prices of an integration; null stands for none, and so does an object without members. */
export function parseAdjustments(value: unknown): PricingAdjustments | null {
  const param = 'input.pricingAdjustments';
  if (value === undefined || value === null) return null;
  const { multiplier } = objectOf(value, param, ['multiplier']);
  if (multiplier === undefined || multiplier === null) return null;
  return { multiplier: parseMultipliers(multiplier, `${param}.multiplier`) };
}

function parseMultipliers(value: unknown, param: string): Multipliers {
  const {
    image,
    additional_units: additional,
    ...factors
  } = objectOf(value, param, ['default', ...tokenUnits, 'image', 'additional_units']);
  const checked = Object.entries(factors).map(([unit, each]) => [unit, factorOf(each, `${param}.${unit}`)]);
  const ofImages = image == null ? undefined : objectOf(image, `${param}.image`, ['default']).default;
  return {
    ...Object.fromEntries(checked),
    ...(image !== undefined && {
      image: image && { default: factorOf(ofImages ?? null, `${param}.image.default`) },
    }),
    ...(additional !== undefined && {
      additional_units: additional && namedOf(additional, `${param}.additional_units`, maxUnits, factorOf),
    }),
  };
}

const factorOf = (value: unknown, param: string): number | null =>
  value === null ? null : amountOf(value, 'A multiplier', param);
