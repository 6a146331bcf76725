import { recordWithProvider } from '../record.ts';
import type { LegStep } from './leg-step.ts';

/**
 * Writes the one log of a leg. A leg that throws has none of its own: the refusal of the whole call is recorded. Guardrails
 * that the caller did not wait for have their place in the log: it is written when they are over.
 */
export const recordLeg: LegStep = async (leg, dependencies, next) => {
  const settled = await next(leg, dependencies);
  const later = leg.guards?.later ?? [];
  if (later.length === 0) recordWithProvider(leg, settled, dependencies);
  else {
    // By then the call may be at its next target.
    const { span } = leg.call;
    Promise.all(later.map(async ({ phase, results }) => ({ phase, results: await results })))
      .then((late) => recordWithProvider({ ...leg, span }, settled, dependencies, late))
      .catch((error: unknown) => dependencies.log.error({ error }, 'A call could not be logged.'));
  }
  return settled;
};
