import type { GatewayError } from '../../errors/index.ts';
import { costAt, type Tariff, tariffOf } from '../../limits/bound/index.ts';
import type { Counter, LimitAsk, Reservation, Shortage } from '../../limits/engine.ts';
import { type Catalogue, costIn } from '../../recording/pricing/index.ts';
import { findUsage } from '../../recording/usage/index.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { countersAt } from '../leg/find-limits.ts';
import { isReservation } from '../limits/call-limits.ts';
import { refused } from '../limits/count-in.ts';
import { isAbout } from '../limits/leg-limits.ts';
import type { Limiting } from '../limits/limiting.ts';
import { mostWritten } from '../limits/settle.ts';
import type { Admission } from './admit.ts';
import type { SessionReport } from './observer.ts';

/** Milliseconds for which a session takes of its limits at once. */
const SLICE_MS = 60_000;
/** Tokens of a minute of speech in both directions, and of what was said before, which each answer reads again. */
const TOKENS_OF_A_SLICE = 12_000;

type Used = { tokens: number; cost: number };
const NOTHING: Used = { tokens: 0, cost: 0 };

/** What a session is counted by. Null where it comes under no limit. */
export async function openSlices(
  admission: Admission,
  dependencies: DataplaneDependencies,
): Promise<Slices | null> {
  const { call } = admission;
  const { limiting } = dependencies;
  const counters = [...(call.limits?.held ?? []), ...countersAt(admission, dependencies)];
  if (counters.length === 0) return null;
  const catalogue = isAbout(counters, 'cost') ? await limiting.prices() : null;
  const slices = new Slices(admission, counters, catalogue, limiting);
  const error = await slices.take(true);
  if (error) throw error;
  return slices;
}

/**
 * Takes of all limits what a minute may come to, and takes anew when the minute is over or what it took is used up. Each time,
 * what the provider reported since is counted.
 */
export class Slices {
  readonly #admission: Admission;
  readonly #counters: readonly Counter[];
  readonly #catalogue: Catalogue | null;
  readonly #tariff: Tariff | null;
  readonly #limiting: Limiting;
  #reservation: Reservation | null = null;
  #asks: readonly LimitAsk[] = [];
  /** Of the whole session, as far as it was settled and as far as it is known. */
  #settled: Used = { tokens: 0, cost: 0 };
  #known: Used = { tokens: 0, cost: 0 };
  #responses = 0;
  /** Tokens of the answer that was reported last, with all that was read for it. */
  #lastAnswer = 0;
  #refuse: (error: GatewayError) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    admission: Admission,
    counters: readonly Counter[],
    catalogue: Catalogue | null,
    limiting: Limiting,
  ) {
    const { call, target } = admission;
    this.#admission = admission;
    this.#counters = counters;
    this.#catalogue = catalogue;
    this.#limiting = limiting;
    this.#tariff =
      catalogue &&
      tariffOf(
        { provider: target.provider.id, model: target.model, own: target.pricing },
        catalogue,
        call.clock.createdAt,
      );
  }

  /** Takes a slice; answers why there is none. `isFirst`: the session counts as one request, once. */
  async take(isFirst: boolean): Promise<GatewayError | null> {
    const { engine } = this.#limiting;
    const asks = this.#counters.map((counter) => ({ counter, amount: this.#amountOf(counter, isFirst) }));
    const outcome: Reservation | Shortage = await engine.take(asks);
    if (!isReservation(outcome)) return refused(outcome, this.#limiting);
    this.#asks = asks;
    this.#reservation = outcome;
    // What was reported while it waited is counted all the same.
    if (this.#isClosed) this.#settle(true);
    else this.#timer = setTimeout(() => this.#renew(), SLICE_MS).unref();
    return null;
  }

  onRefusal(refuse: (error: GatewayError) => void): void {
    this.#refuse = refuse;
  }

  /** Sees what the session came to so far. */
  note(report: SessionReport): void {
    if (report.responses === this.#responses) return;
    this.#responses = report.responses;
    const before = this.#known.tokens;
    this.#known = this.#usedIn(report);
    this.#lastAnswer = this.#known.tokens - before;
    const isUsedUp = this.#asks.some(
      ({ counter: { limit }, amount }) =>
        limit.unit !== 'requests' && amount > 0 && this.#since(limit.unit) >= amount,
    );
    if (isUsedUp) this.#renew();
  }

  /**
   * `report`: null for a session that could not begin. `answeringSince`: when the answer began that nobody waited for, on the
   * clock of `performance.now()`; it is counted by how far it can have come, at most what was taken.
   */
  close(report: SessionReport | null, answeringSince: number | null = null): void {
    this.#isClosed = true;
    if (report) this.#known = this.#usedIn(report);
    this.#settle(report !== null, answeringSince);
  }

  #amountOf({ limit: { unit } }: Counter, isFirst: boolean): number {
    if (unit === 'requests') return isFirst ? 1 : 0;
    if (unit === 'tokens') return TOKENS_OF_A_SLICE;
    return this.#tariff === null ? 0 : costAt(this.#tariff, TOKENS_OF_A_SLICE / 2, TOKENS_OF_A_SLICE / 2);
  }

  #since(unit: 'tokens' | 'cost'): number {
    return Math.max(0, this.#known[unit] - this.#settled[unit]);
  }

  #renew(): void {
    this.#settle(true);
    this.take(false).then(
      (error) => error && !this.#isClosed && this.#refuse(error),
      (error: GatewayError) => this.#refuse(error),
    );
  }

  /** What an answer can have come to that was broken off: as much was read for it as the one before it came to. */
  #broken(since: number): Used {
    const written = mostWritten(this.#admission.target.provider.id, since);
    const cost = this.#tariff === null ? 0 : costAt(this.#tariff, this.#lastAnswer, written);
    return { tokens: this.#lastAnswer + written, cost };
  }

  #settle(hasBegun: boolean, answeringSince: number | null = null): void {
    clearTimeout(this.#timer);
    const reservation = this.#reservation;
    if (reservation === null) return;
    this.#reservation = null;
    const broken = answeringSince === null ? NOTHING : this.#broken(answeringSince);
    const amounts = this.#asks.map(({ counter: { limit }, amount }) => {
      if (limit.unit === 'requests') return hasBegun ? amount : 0;
      const reported = this.#since(limit.unit);
      return Math.max(reported, Math.min(amount, reported + broken[limit.unit]));
    });
    this.#settled = this.#known;
    reservation.settle(amounts, {
      uncertain:
        answeringSince !== null && this.#asks.some(({ counter }) => counter.limit.unit !== 'requests'),
      unpriced: this.#catalogue !== null && this.#tariff === null,
    });
  }

  #usedIn({ usage: counts }: SessionReport): Used {
    if (!counts) return this.#known;
    const { call, target } = this.#admission;
    const usage = findUsage({ text: JSON.stringify({ usage: counts }), isStream: false });
    const { promptTokens, completionTokens, totalTokens } = usage.counts;
    const cost =
      this.#catalogue &&
      costIn(this.#catalogue, {
        provider: target.provider.id,
        model: target.model,
        answeredModel: () => null,
        at: call.clock.createdAt,
        usage,
        images: null,
        own: target.pricing,
      });
    return {
      tokens: Math.max(totalTokens ?? 0, (promptTokens ?? 0) + (completionTokens ?? 0)),
      cost: cost?.nanodollars ?? 0,
    };
  }
}
