import type { LimitAsk, Reservation, Shortage } from '../../src/limits/engine.ts';
import { recoveryOf } from '../../src/limits/journal/recovered.ts';
import { StoreClock } from '../../src/limits/ledger/clock.ts';
import { Ledger } from '../../src/limits/ledger/ledger.ts';
import { LOSS_MS, type Round } from '../../src/limits/ledger/rounds.ts';
import type { Limit } from '../../src/limits/limit.ts';
import { Agenda, randomOf } from './agenda.ts';
import { judgeOf } from './judge.ts';
import { SimulatedJournal } from './simulated-journal.ts';
import { inMemory, type SimulatedStore } from './simulated-store.ts';

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
  /** Whether somebody reads the journals of those that were killed, five seconds later. */
  hasJournals?: boolean;
  /** When no message of the first half of the processes arrives. */
  cut?: { from: number; until: number };
};

export type Outcome = {
  offered: number;
  admitted: number;
  /** Cost beyond what the limit allows; must be 0. */
  overspent: number;
  /** The largest excess of calls under way and ended over that at any admission; must be 0. */
  overcommitted: number;
  /** The share of what the limit allows that was used. */
  utilisation: number;
  kills: number;
  messages: number;
};

/** The store's time when the simulation begins. */
const EPOCH = 1_700_000_000_000;
/** Milliseconds after which the journal of a dead process is read. */
const RECOVERY_MS = 5000;

/** Runs the engine's own code of several processes against one store, in a time of its own. */
export async function simulate(scenario: Scenario, store: SimulatedStore = inMemory()): Promise<Outcome> {
  const { seed, processes: count, limits, durationMs, worst, cut } = scenario;
  const random = randomOf(seed);
  const agenda = new Agenda();
  const judge = judgeOf(limits, durationMs);
  const outcome = { offered: 0, admitted: 0, kills: 0, messages: 0 };
  const delay = () => 0.5 * (0.5 + random()) + (random() < 0.002 ? 50 * random() : 0);

  type Process = {
    name: string;
    ledger: Ledger;
    journal: SimulatedJournal;
    isDead: boolean;
    pausedUntil: number;
    isBusy: boolean;
    timer: number;
  };
  const processOf = (name: string): Process => {
    const journal = new SimulatedJournal();
    const process: Process = {
      name,
      journal,
      isDead: false,
      pausedUntil: 0,
      isBusy: false,
      timer: 0,
      ledger: new Ledger({
        processId: name,
        clock: new StoreClock(() => EPOCH + agenda.now),
        leaseMs: 1000,
        capacity: 1000,
        note: journal.note,
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
    process.journal.flush(round.slots);
    const deliver = () => store.write(round.updates, EPOCH + Math.floor(agenda.now));
    const later = () => agenda.now + delay();
    if (random() < scenario.doubled) agenda.at(agenda.now + 1000 * random(), deliver);
    if (random() >= scenario.lost && !isCut(process))
      agenda.at(later(), async () => {
        await deliver();
        if (random() < scenario.lost || isCut(process)) return;
        agenda.at(later() + delay(), async () => {
          const documents = await store.read(round.slots.map(({ id }) => id));
          agenda.at(later(), () => end(() => process.ledger.rounds.completed(round, documents, agenda.now)));
        });
      });
    // Time in which the process stands still does not count: it could not hear an answer.
    const giveUp = () => {
      if (process.pausedUntil > agenda.now) agenda.at(process.pausedUntil + LOSS_MS, giveUp);
      else end(() => process.ledger.rounds.failed(agenda.now, true));
    };
    agenda.at(agenda.now + LOSS_MS, giveUp);
  }

  const isCut = (process: Process): boolean =>
    cut !== undefined &&
    agenda.now >= cut.from &&
    agenda.now < cut.until &&
    processes.indexOf(process) < count / 2;

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
      judge.admitted(amount, agenda.now);
      agenda.at(agenda.now + lasts, () => {
        // A provider bills what was under way when the gateway died, at most what it may have cost.
        judge.ended(amount, cost);
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

  async function recover({ name, journal }: Process): Promise<void> {
    const ids = [...new Set([...journal.written.values()].map(({ id }) => id))];
    const counters = await store.read(ids);
    const updates = counters.flatMap((counter) => recoveryOf(counter, name, journal.written));
    await store.write(updates, EPOCH + Math.floor(agenda.now));
  }

  agenda.at(0, arrive);
  every(scenario.killEveryMs, (index) => {
    const dead = processes[index] as Process;
    dead.isDead = true;
    outcome.kills += 1;
    if (scenario.hasJournals) agenda.at(agenda.now + RECOVERY_MS, () => recover(dead));
    processes[index] = processOf(`p${born++}`);
  });
  every(scenario.pauseEveryMs, (index) => {
    (processes[index] as Process).pausedUntil = agenda.now + 8000 * random();
  });
  const last = durationMs + 10_000;
  while (agenda.now < last && (await agenda.next()));
  return { ...outcome, ...judge.verdict() };
}
