import { z } from 'zod';

/** A parameter that bounds a count. */
export const countParameter = (usual: number) => z.int().min(0).max(9_999_999).default(usual);

/** Throws where nothing can lie within the range. */
export function requireOrder(least: readonly [string, number], most: readonly [string, number]): void {
  if (least[1] > most[1]) throw new Error(`${least[0]} must not be above ${most[0]}`);
}
