import { grownCache } from '../../../lib/grown-cache.ts';
import type { CircuitBreaker } from '../../../routing-config/parts.ts';
import { type CallEnd, type Counts, countsSuccesses, isFailure, opens, sumOf } from './rule.ts';
import type { Addition, Circuit } from './store.ts';

const NONE: Counts = { failures: 0, successes: 0 };

/** Circuits that one process follows. */
const ENTRIES = 10_000;
/** Of one target; callers may name any number of models. */
const ENTRIES_OF_ONE = 20;
/** Milliseconds after the last call for which a circuit is followed. */
const INTEREST = 60_000;

/** `target`: of the config, whatever provider and model a call makes of it. */
export type Name = { id: string; target: string; organisationId: string };

type State = Name & {
  rule: CircuitBreaker;
  usedAt: number;
  since: number;
  openUntil: number;
  /** As the store had it when it was last read. */
  shared: Counts;
  /** Seen here and not yet in the store. */
  own: Counts;
};

/** Outcomes on their way to the store, and the window that they belong to. */
export type Taken = Addition & { since: number };

export type Opening = { id: string; organisationId: string; until: number; cooldown: number };

/**
 * One process's view of its circuits, without any waiting: its own outcomes at once, those of others when `adopt` brings
 * them. Times are milliseconds since the epoch.
 */
export class Circuits {
  readonly #states = grownCache<State>(ENTRIES, { dispose: (state) => this.#forget(state) });
  /** The circuits of each target, the one used last at the end. */
  readonly #ofTarget = new Map<string, Set<string>>();

  isOpen(name: Name, rule: CircuitBreaker, now: number): boolean {
    return this.#stateOf(name, rule, now).openUntil > now;
  }

  /** Counts the end of a target's call; answers the opening that it leads to. */
  settle(name: Name, rule: CircuitBreaker, end: CallEnd, now: number): Opening | null {
    const state = this.#stateOf(name, rule, now);
    if (state.openUntil > now) return null;
    const failed = isFailure(rule, end);
    if (!failed && !countsSuccesses(rule)) return null;
    if (state.since + rule.cooldown_interval <= now) this.#startWindow(state, now);
    state.own = sumOf(state.own, failed ? { failures: 1, successes: 0 } : { failures: 0, successes: 1 });
    return this.#openIfDue(state, now);
  }

  /** Takes what was counted here and is not in the store yet. */
  takeAdditions(): Taken[] {
    const additions: Taken[] = [];
    for (const state of this.#states.values()) {
      if (state.own.failures + state.own.successes === 0) continue;
      const { id, organisationId, own, rule, since } = state;
      additions.push({ _id: id, organisationId, counts: own, cooldown: rule.cooldown_interval, since });
      state.shared = sumOf(state.shared, own);
      state.own = NONE;
    }
    return additions;
  }

  /** Takes back what could not be written. */
  giveBack(additions: Taken[]): void {
    for (const { _id, counts, since } of additions) {
      const state = this.#states.peek(_id);
      if (state?.since !== since) continue;
      state.own = sumOf(state.own, counts);
      state.shared = sumOf(state.shared, { failures: -counts.failures, successes: -counts.successes });
    }
  }

  /** The circuits that calls came by lately. */
  inUse(now: number): { _id: string; organisationId: string }[] {
    return [...this.#states.values()]
      .filter(({ usedAt }) => usedAt + INTEREST > now)
      .map(({ id, organisationId }) => ({ _id: id, organisationId }));
  }

  /** Takes over what all processes know; answers an opening that only the sum of all leads to. */
  adopt(circuit: Circuit, now: number): Opening | null {
    const state = this.#states.peek(circuit._id);
    if (!state || state.organisationId !== circuit.organisationId) return null;
    if (circuit.openUntil > state.openUntil) {
      state.openUntil = circuit.openUntil;
      state.own = NONE;
    }
    // A window that is over says nothing any more.
    if (state.openUntil > now || circuit.since + state.rule.cooldown_interval <= now) return null;
    state.since = circuit.since;
    state.shared = { failures: circuit.failures, successes: circuit.successes };
    return this.#openIfDue(state, now);
  }

  #stateOf(name: Name, rule: CircuitBreaker, now: number): State {
    const { id, target } = name;
    let state = this.#states.get(id);
    if (!state) {
      state = { ...name, rule, usedAt: now, since: 0, openUntil: 0, shared: NONE, own: NONE };
      this.#states.set(id, state);
    }
    state.rule = rule;
    state.usedAt = now;
    const siblings = this.#ofTarget.get(target) ?? new Set();
    this.#ofTarget.set(target, siblings);
    siblings.delete(id);
    siblings.add(id);
    if (siblings.size > ENTRIES_OF_ONE) this.#states.delete(this.#leastOf(siblings, now));
    return state;
  }

  /** Invented models must not push out the circuit that keeps calls from a real one. */
  #leastOf(siblings: ReadonlySet<string>, now: number): string {
    const [oldest = ''] = siblings;
    for (const id of siblings) if ((this.#states.get(id)?.openUntil ?? 0) <= now) return id;
    return oldest;
  }

  #forget({ id, target }: State): void {
    const siblings = this.#ofTarget.get(target);
    siblings?.delete(id);
    if (siblings?.size === 0) this.#ofTarget.delete(target);
  }

  #startWindow(state: State, now: number): void {
    state.since = now;
    state.shared = NONE;
    state.own = NONE;
  }

  #openIfDue(state: State, now: number): Opening | null {
    if (!opens(state.rule, sumOf(state.shared, state.own))) return null;
    const cooldown = state.rule.cooldown_interval;
    this.#startWindow(state, now + cooldown);
    state.openUntil = now + cooldown;
    return { id: state.id, organisationId: state.organisationId, until: state.openUntil, cooldown };
  }
}
