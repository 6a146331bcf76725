import { z } from 'zod';

/** The parameter of checks that can end in an error rather than a verdict. */
export const failable = {
  failOnError: z
    .boolean()
    .optional()
    .describe('Whether an error of the check counts as a failure of the guardrail.'),
};

/** The parameter of checks whose verdict can be turned round. */
export const negatable = {
  not: z
    .boolean()
    .default(false)
    .describe('Turns the verdict round: what would pass fails, and what would fail passes.'),
};

/** The most characters of an excerpt in a finding. */
const EXCERPT = 100;

/** A text as findings may show it. */
export const excerpt = (text: string): string => (text.length > EXCERPT ? text.slice(0, EXCERPT) : text);

/** How many of several things there are to be. */
export type Quantifier = 'any' | 'all' | 'none';

export const operatorParameter = (usual: Quantifier) => z.enum(['any', 'all', 'none']).default(usual);

/** Whether as many of `all` things are there as the operator says. */
export function holds(operator: Quantifier, found: number, all: number): boolean {
  if (operator === 'none') return found === 0;
  return operator === 'all' ? found === all : found > 0;
}
