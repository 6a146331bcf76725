import { withSecrets } from '../target/mapped-credential.ts';
import type { LegStep } from './leg-step.ts';

/**
 * Puts the values of secret managers into the target's credential. Only the first use of a secret waits for its manager. A
 * secret that is not to be had becomes the answer of this target, so that strategies can go on to another one.
 */
export const readySecrets: LegStep = (leg, dependencies, next) => {
  leg.refused = null;
  try {
    const ready = withSecrets(leg.target, dependencies.secretMemory);
    if (ready instanceof Promise)
      return ready
        .then(
          (target) => {
            leg.target = target;
          },
          (error: unknown) => {
            leg.refused = error;
          },
        )
        .then(() => next(leg, dependencies));
    leg.target = ready;
  } catch (error) {
    leg.refused = error;
  }
  return next(leg, dependencies);
};
