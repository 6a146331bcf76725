import type { GatewayError } from '../../errors/index.ts';
import type { Shortage } from '../../limits/engine.ts';
import { refused } from './count-in.ts';
import type { LegLimits } from './leg-limits.ts';
import type { Limiting } from './limiting.ts';
import { fitting } from './size-up.ts';

/** Why an attempt is not made, and the cap under which it would be. */
export function refusalOfLeg(shortage: Shortage, limits: LegLimits, limiting: Limiting): GatewayError {
  return refused(shortage, limiting, adviceOf(shortage, limits, limiting));
}

function adviceOf({ ask, why }: Shortage, limits: LegLimits, { engine }: Limiting): string {
  const { bound, chosenCap } = limits;
  if (bound === null || !bound.writes || chosenCap !== null || why === 'rate' || why === 'lost') return '';
  const { remaining } = engine.stateOf(ask.counter);
  const cap = fitting(ask.counter, limits, bound, remaining);
  return cap === null || cap < 1
    ? ''
    : `A cap of ${cap.toLocaleString('en-US')} tokens on the answer would fit.`;
}
