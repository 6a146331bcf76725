import type { CallBound, Tariff } from '../../limits/bound/index.ts';
import type { Counter, LimitAsk } from '../../limits/engine.ts';
import type { Catalogue } from '../../recording/pricing/index.ts';

/** The limits of a leg: what each attempt at its target takes. */
export type LegLimits = {
  readonly counters: readonly Counter[];
  /** Null where no limit is about cost. */
  readonly catalogue: Catalogue | null;

  // Filled in once the body is made.

  /** The model that is priced: as the log finds it. */
  model: string | null;
  bound: CallBound | null;
  /** Null where no limit is about cost, or the price is not known. */
  tariff: Tariff | null;
  /** Tokens that an answer may have. */
  cap: number;
  /** Set where the gateway chose `cap`; `limitId`: the limit that made it as small as it is. */
  chosenCap: { limitId: string | null } | null;
  asks: readonly LimitAsk[];
  /** What the attempts of the leg came to, in the order of `asks`. */
  amounts: number[];
};

export const isAbout = (counters: readonly Counter[], unit: 'cost' | 'tokens'): boolean =>
  counters.some(({ limit }) => limit.unit === unit);
