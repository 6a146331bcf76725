import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayError } from '../../errors/index.ts';
import type { CallBound } from '../../limits/bound/index.ts';
import type { Counter, CounterState } from '../../limits/engine.ts';

/** A call that nobody makes. */
export type AskedAdmission = {
  /** `Secrets.hash` of the workspace key whose call it is. */
  keyHash: string;
  method: string;
  /** Below `/v1`, with its query. */
  path: string;
  /** By their names in lower case. */
  headers: IncomingHttpHeaders;
  /** JSON; null for a call without a body. */
  body: Record<string, unknown> | null;
};

/**
 * What a limit would say to a call. `held`: calls under way hold what it needs; `spent`: nothing comes back before the window
 * ends; `rate`: not yet; `never`: more than the whole limit; `unknown`: the limit asks that the amount can be known.
 */
export type LimitVerdict = 'fits' | 'held' | 'spent' | 'rate' | 'never' | 'unknown';

/** A limit that a call comes under. Amounts are in the unit of the limit. */
export type WeighedLimit = {
  counter: Counter;
  state: CounterState;
  needed: number;
  verdict: LimitVerdict;
};

/** What a call would meet if it came now. */
export type WeighedCall = {
  /** What it would be refused with; null where it would be let through. */
  refusal: GatewayError | null;
  /** Provider kind, slug and model of the target that would be asked; null where the call is refused before. */
  target: { provider: string; slug: string | null; model: string | null } | null;
  /** Tokens that each answer may have; null where no model writes one. */
  cap: number | null;
  /** The limit that makes `cap` smaller than it would be; null where none does. */
  capLimitId: string | null;
  /** The most that the call may come to, as far as that can be said. */
  estimate: { tokens: number; nanodollars: number | null; class: CallBound['class'] } | null;
  limits: readonly WeighedLimit[];
};

/** Says what a call would meet, by the same steps that a call takes. It takes nothing and asks no provider. */
export type AdmissionCheck = (asked: AskedAdmission) => Promise<WeighedCall>;
