import { counterId, windowAt } from '../../limits/counters/window.ts';
import type { CounterReport } from '../../limits/engine/index.ts';
import type { Counter, CounterState, LimitEngine, Reservation } from '../../limits/engine.ts';
import type { Limit } from '../../limits/limit.ts';

/** Reads counters of an organisation, of whatever limits, by their ids. */
export type ReadCounters = (organisationId: string, ids: readonly string[]) => Promise<CounterReport[]>;

/**
 * Stands in for the engine where a call is only weighed: it lets everything through, takes nothing, and knows of counters
 * what the store says of them. A counter that the store does not have is whole.
 */
export class DryEngine implements LimitEngine {
  readonly #read: ReadCounters;
  readonly #counters = new Map<string, Counter>();
  readonly #states = new Map<Counter, CounterState>();

  constructor(read: ReadCounters) {
    this.#read = read;
  }

  counterOf(limit: Limit, valueKey: string): Counter {
    const name = `${limit.id}\n${valueKey}`;
    const known = this.#counters.get(name);
    if (known) return known;
    const counter = { limit, valueKey };
    this.#counters.set(name, counter);
    return counter;
  }

  take(): Reservation {
    return nothingTaken;
  }

  look(): null {
    return null;
  }

  stateOf(counter: Counter): CounterState {
    return this.#states.get(counter) ?? wholeOf(counter, Date.now());
  }

  /** Asks the store for counters that were not read yet. */
  async learn(counters: readonly Counter[]): Promise<void> {
    const now = Date.now();
    const unread = new Map<string, Counter>();
    for (const counter of counters) if (!this.#states.has(counter)) unread.set(idOf(counter, now), counter);
    const [first] = unread.values();
    if (!first) return;
    for (const report of await this.#read(first.limit.organisationId, [...unread.keys()])) {
      const counter = unread.get(report._id);
      if (counter) this.#states.set(counter, stateOf(counter, report, now));
    }
  }
}

const idOf = ({ limit, valueKey }: Counter, now: number): string =>
  counterId(limit, valueKey, windowAt(limit.window, now));

function wholeOf({ limit }: Counter, now: number): CounterState {
  const { amount, window } = limit;
  return { amount, used: 0, held: 0, remaining: amount, resetsAt: windowAt(window, now).until };
}

/** An edit of the limit may not have reached the counter: the amount is that of the limit. */
function stateOf({ limit }: Counter, { used, held, abandoned }: CounterReport, now: number): CounterState {
  const { amount, window } = limit;
  const taken = held + abandoned;
  const resetsAt =
    window.kind === 'bucket'
      ? now + (amount === 0 ? 0 : (used * window.seconds * 1000) / amount)
      : windowAt(window, now).until;
  return { amount, used, held: taken, remaining: Math.max(0, amount - used - taken), resetsAt };
}

const nothingTaken: Reservation = { settle: () => undefined, isOpen: false };
