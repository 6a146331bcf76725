import { setTimeout as wait } from 'node:timers/promises';
import type { Biller } from './biller.ts';
import { type Administration, BUDGET, counterOf } from './budget.ts';
import { callAll } from './callers.ts';
import { type Disturbances, disturb } from './disturb.ts';
import type { Fleet } from './fleet.ts';
import type { SharedStore } from './store.ts';

const CALLERS = 1000;
/** Milliseconds without a call at the provider after which a run is over, and the most that a run takes. */
const SILENCE_MS = 5000;
const LONGEST_MS = 90_000;
/** Milliseconds in which every gateway has told the store what was used. */
const TOLD_MS = 10_000;

export type Plan = { gateways: number; disturbances: Disturbances };

/** What became of a budget. Amounts are nanodollars. */
export type Outcome = {
  line: string;
  isCalm: boolean;
  overspent: number;
  /** The share of the budget that was billed. */
  used: number;
  /** What the store counts as used, less what was billed. */
  miscounted: number;
  /** Reservations of calls that are over. */
  open: number;
  kills: number;
};

type Parts = {
  fleet: Fleet;
  store: SharedStore;
  biller: Biller;
  administration: Administration;
  key: string;
};

/** Races of callers for budgets, one after another. */
export class Race {
  readonly #parts: Parts;
  #count = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run({ gateways, disturbances }: Plan): Promise<Outcome> {
    const { fleet, store, biller, administration, key } = this.#parts;
    const run = `run-${++this.#count}`;
    await fleet.resize(gateways);
    const policy = await administration.addBudget(fleet.urls()[0] ?? '', run);
    const isCalm = Object.values(disturbances).every((count) => count === 0);
    const begun = performance.now();
    const isSilent = () =>
      fleet.isWhole && performance.now() - Math.max(begun, biller.lastAt(), fleet.startedAt) > SILENCE_MS;
    let isDisturbed = !isCalm;
    const disturbing = disturb(fleet, store, disturbances, isSilent).finally(() => {
      isDisturbed = false;
    });
    const isOver = () => performance.now() - begun > LONGEST_MS || (isSilent() && !isDisturbed);
    const tally = await callAll(fleet, { key, run, callers: CALLERS, isPatient: !isCalm }, isOver);
    const done = await disturbing;
    const seconds = (biller.lastAt() - begun) / 1000;
    const { miscounted, open } = await this.#counted(policy, run, isCalm);
    const billed = biller.billed(run);
    const answers = [...tally].map(([answer, count]) => `${count} × ${answer}`).join(', ');
    const line =
      `${gateways} gateways, ${done.kills} kills, ${done.stops} stops, ${done.restarts} restarts of the store: ` +
      `billed ${billed} of ${BUDGET} in ${biller.calls(run)} calls and ${seconds.toFixed(1)} s; ` +
      `the store counts ${miscounted} more; ${answers}`;
    const overspent = Math.max(0, billed - BUDGET);
    return { line, isCalm, overspent, used: billed / BUDGET, miscounted, open, kills: done.kills };
  }

  /** What the store and the gateways say once all is told; what of it is not so in the end, where it should be. */
  async #counted(
    policy: string,
    run: string,
    isCalm: boolean,
  ): Promise<{ miscounted: number; open: number }> {
    const { fleet, store, biller } = this.#parts;
    const until = performance.now() + TOLD_MS;
    for (;;) {
      const open = await fleet.openReservations();
      const counter = await counterOf(store.uri, policy);
      const miscounted = (counter?.fill ?? 0) - biller.billed(run);
      const isTold = open === 0 && (isCalm ? miscounted === 0 : miscounted >= 0);
      if (isTold || performance.now() > until) return { miscounted, open };
      await wait(200);
    }
  }
}
