import { recordWithProvider } from '../record.ts';
import type { LegStep } from './leg-step.ts';

/** Writes the one log of a leg. A leg that throws has none of its own: the refusal of the whole call is recorded. */
export const recordLeg: LegStep = async (leg, dependencies, next) => {
  const settled = await next(leg, dependencies);
  recordWithProvider(leg, settled, dependencies);
  return settled;
};
