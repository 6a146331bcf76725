import { z } from 'zod';

/** The parameter of checks whose verdict can be turned round. */
export const negatable = {
  not: z
    .boolean()
    .default(false)
    .describe('Turns the verdict round: what would pass fails, and what would fail passes.'),
};
