import type { LimitAsk, Reservation, Shortage } from '../../src/limits/engine.ts';
import { StoreClock } from '../../src/limits/ledger/clock.ts';
import { Ledger } from '../../src/limits/ledger/ledger.ts';
import type { Round } from '../../src/limits/ledger/rounds.ts';
import type { Limit } from '../../src/limits/limit.ts';
import { MemoryStore } from './memory-store.ts';

/** What is simulated. Times are milliseconds, probabilities from 0 to 1. */
export type Scenario = {
  seed: number;
  processes: number;
  limits: readonly Limit[];
  /** Calls a second of all processes together, and for how long they come. */
  callsPerSecond: number;
  durationMs: number;
  /** The most that a call may cost, and which part of it it does cost. */
  worst: number;
  leastShare: number;
  mostShare: number;
  /** Share of the calls that the first process gets; 0 for equal parts. */
  skew?: number;
  lost: number;
  doubled: number;
  /** Milliseconds between two kills, stops or cuts of some process; 0 for none. */
  killEveryMs?: number;
  pauseEveryMs?: number;
};

export type Outcome = {
  offered: number;
  admitted: number;
  /** Cost beyond the cap; must be 0. */
  overspent: number;
  /** The largest excess of calls under way and ended over the cap at any admission; must be 0. */
  overcommitted: number;
  utilisation: number;
  kills: number;
  messages: number;
};

type Event = { at: number; order: number; run: () => void };

/** Same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Events in the order of their times. */
class Agenda {
  readonly #heap: Event[] = [];
  #count = 0;
  now = 0;

  at(time: number, run: () => void): void {
    const heap = this.#heap;
    heap.push({ at: Math.max(time, this.now), order: this.#count++, run });
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!isBefore(heap[child], heap[parent])) break;
      [heap[child], heap[parent]] = [heap[parent] as Event, heap[child] as Event];
      child = parent;
    }
  }

  next(): boolean {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last) return false;
    if (heap.length > 0) {
      heap[0] = last;
      for (let parent = 0; ; ) {
        const [left, right] = [2 * parent + 1, 2 * parent + 2];
        let least = parent;
        if (isBefore(heap[left], heap[least])) least = left;
        if (isBefore(heap[right], heap[least])) least = right;
        if (least === parent) break;
        [heap[parent], heap[least]] = [heap[least] as Event, heap[parent] as Event];
        parent = least;
      }
    }
    this.now = first.at;
    first.run();
    return true;
  }
}

const isBefore = (one: Event | undefined, other: Event | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  (one.at < other.at || (one.at === other.at && one.order < other.order));

/** Milliseconds after which a round counts as failed, and the store's time when the simulation begins. */
const ROUND_MS = 250;
const EPOCH = 1_700_000_000_000;

/** Runs the engine's own code of several processes against one store, in a time of its own. */
export function simulate(scenario: Scenario): Outcome {
  const { seed, processes: count, limits, durationMs, worst } = scenario;
  const random = randomOf(seed);
  const agenda = new Agenda();
  const store = new MemoryStore();
  const cap = Math.min(...limits.map(({ amount }) => amount));
  const outcome = { offered: 0, admitted: 0, overspent: 0, overcommitted: 0, kills: 0, messages: 0 };
  let spent = 0;
  let held = 0;
  const delay = () => 0.5 * (0.5 + random()) + (random() < 0.002 ? 50 * random() : 0);

  type Process = { ledger: Ledger; isDead: boolean; pausedUntil: number; isBusy: boolean; timer: number };
  const processOf = (name: string): Process => {
    const process: Process = {
      isDead: false,
      pausedUntil: 0,
      isBusy: false,
      timer: 0,
      ledger: new Ledger({
        processId: name,
        clock: new StoreClock(() => EPOCH + agenda.now),
        leaseMs: 1000,
        capacity: 1000,
        wake: () => agenda.at(agenda.now, () => tick(process)),
      }),
    };
    agenda.at(agenda.now, () => tick(process));
    return process;
  };

  /** Runs when the process is not stopped; what comes for a dead one is lost. */
  function whenAwake(process: Process, run: () => void): void {
    if (process.isDead) return;
    if (process.pausedUntil > agenda.now) agenda.at(process.pausedUntil, () => whenAwake(process, run));
    else run();
  }

  function tick(process: Process): void {
    whenAwake(process, () => {
      if (process.isBusy) return;
      const { ledger } = process;
      ledger.admit(agenda.now);
      const round = ledger.rounds.prepare(ledger.moment(agenda.now));
      if (round) exchange(process, round);
      else {
        const mine = ++process.timer;
        agenda.at(agenda.now + ledger.rounds.pause(agenda.now), () => {
          if (process.timer === mine) tick(process);
        });
      }
    });
  }

  function exchange(process: Process, round: Round): void {
    process.isBusy = true;
    outcome.messages += 2;
    let isOver = false;
    const end = (run: () => void) =>
      whenAwake(process, () => {
        if (isOver) return;
        isOver = true;
        process.isBusy = false;
        run();
        tick(process);
      });
    const deliver = () => {
      for (const update of round.updates) store.apply(update, EPOCH + Math.floor(agenda.now));
      if (!store.conserves()) throw new Error('Room, use and leases do not add up.');
    };
    const later = () => agenda.now + delay();
    if (random() < scenario.doubled) agenda.at(agenda.now + 1000 * random(), deliver);
    if (random() >= scenario.lost)
      agenda.at(later(), () => {
        deliver();
        if (random() < scenario.lost) return;
        agenda.at(later() + delay(), () => {
          const documents = store.read(round.slots.map(({ id }) => id));
          agenda.at(later(), () => end(() => process.ledger.rounds.completed(round, documents, agenda.now)));
        });
      });
    agenda.at(agenda.now + ROUND_MS, () => end(() => process.ledger.rounds.failed(agenda.now)));
  }

  const processes = Array.from({ length: count }, (_, index) => processOf(`p${index}`));
  let born = count;

  function call(process: Process): void {
    const { ledger } = process;
    const amount = Math.ceil(worst * (0.5 + 0.5 * random()));
    const cost = Math.floor(
      amount * (scenario.leastShare + (scenario.mostShare - scenario.leastShare) * random()),
    );
    const lasts = 300 + 3700 * random();
    const asks: LimitAsk[] = limits.map((limit) => ({ counter: ledger.counterOf(limit, '', {}), amount }));
    const begin = (reservation: Reservation) => {
      outcome.admitted += 1;
      held += amount;
      outcome.overcommitted = Math.max(outcome.overcommitted, spent + held - cap);
      agenda.at(agenda.now + lasts, () => {
        // A provider bills what was under way when the gateway died, at most what it may have cost.
        spent += cost;
        held -= amount;
        whenAwake(process, () => reservation.settle(asks.map(() => cost)));
      });
    };
    const taken = ledger.take(asks, agenda.now);
    if (taken) begin(taken);
    else
      ledger.wait(asks, agenda.now, (answer: Reservation | Shortage) => {
        if ('settle' in answer) begin(answer);
      });
  }

  function arrive(): void {
    if (agenda.now > durationMs) return;
    agenda.at(agenda.now - Math.log(1 - random()) * (1000 / scenario.callsPerSecond), arrive);
    const chosen = random() < (scenario.skew ?? 0) ? 0 : Math.floor(random() * count);
    outcome.offered += 1;
    const process = processes[chosen] as Process;
    whenAwake(process, () => call(process));
  }

  function every(interval: number | undefined, disturb: (index: number) => void): void {
    if (!interval) return;
    const again = () => {
      if (agenda.now > durationMs) return;
      disturb(Math.floor(random() * count));
      agenda.at(agenda.now + interval, again);
    };
    agenda.at(interval, again);
  }

  agenda.at(0, arrive);
  every(scenario.killEveryMs, (index) => {
    (processes[index] as Process).isDead = true;
    outcome.kills += 1;
    processes[index] = processOf(`p${born++}`);
  });
  every(scenario.pauseEveryMs, (index) => {
    (processes[index] as Process).pausedUntil = agenda.now + 8000 * random();
  });
  const last = durationMs + 10_000;
  while (agenda.now < last && agenda.next());
  return { ...outcome, overspent: Math.max(0, spent - cap), utilisation: spent / cap };
}
