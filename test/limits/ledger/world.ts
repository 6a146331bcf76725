import { MemoryStore } from '../../../bench/limits/memory-store.ts';
import { type CounterUpdate, SILENCE_MS } from '../../../src/limits/counters/document.ts';
import type { Reservation, Shortage } from '../../../src/limits/engine.ts';
import type { JournaledLease } from '../../../src/limits/journal/records.ts';
import { recoveryOf } from '../../../src/limits/journal/recovered.ts';
import { StoreClock } from '../../../src/limits/ledger/clock.ts';
import { slackOf } from '../../../src/limits/ledger/lease.ts';
import { Ledger } from '../../../src/limits/ledger/ledger.ts';
import type { Round } from '../../../src/limits/ledger/rounds.ts';
import { isLent, type Slot } from '../../../src/limits/ledger/slot.ts';
import type { Handle } from '../../../src/limits/ledger/waiting.ts';
import type { Limit } from '../../../src/limits/limit.ts';

export const EPOCH = 1_700_000_000_000;

/** What is known of a counter from outside: what calls came to and hold, whoever made them. */
export type Account = {
  limitId: string;
  /** What resets have set to nothing. */
  forgiven: number;
  spent: number;
  held: number;
  /** By how much calls cost more than they had reserved. */
  overshoot: number;
  /** What was admitted, and when. */
  admitted: { at: number; amount: number }[];
};

export type OpenCall = { reservation: Reservation; slots: readonly Slot[]; amounts: readonly number[] };

export type Process = {
  id: string;
  ledger: Ledger;
  isDead: boolean;
  /** What it has sent and not heard of. */
  round: Round | null;
  calls: OpenCall[];
  /** What of its journal is on disk, and what waits to be written; null without a disk. */
  journal: Map<string, JournaledLease> | null;
  unwritten: Set<Slot>;
};

/** Processes, a store, and messages between them, in a time that the test moves. It checks what must hold after each step. */
export class World {
  readonly store = new MemoryStore();
  /** The largest amount that each limit ever had. */
  readonly caps = new Map<string, number>();
  /** Amounts that everybody has known for a second, and what was spent and held of each counter by then. */
  readonly enforced = new Map<string, { cap: number; sums: ReadonlyMap<string, number> }>();
  readonly accounts = new Map<string, Account>();
  processes: Process[] = [];
  readonly dead: Process[] = [];
  /** Messages that were sent and did not arrive yet, as their process counts with. */
  air: { updates: readonly CounterUpdate[]; from: string; lostAt: number }[] = [];
  now = 0;
  /** When a limit was last edited or reset. */
  changedAt = Number.NEGATIVE_INFINITY;
  /** By counter: when a process was last heard of again after it had counted as dead. */
  readonly revivedAt = new Map<string, number>();
  #born = 0;

  constructor(count: number) {
    this.processes = Array.from({ length: count }, () => this.#newProcess());
  }

  #newProcess(): Process {
    const id = `p${this.#born++}`;
    // The clock of one process in three is an hour ahead.
    const skew = this.#born % 3 === 0 ? 3_600_000 : 0;
    const process: Process = {
      id,
      isDead: false,
      round: null,
      calls: [],
      journal: new Map(),
      unwritten: new Set(),
      ledger: new Ledger({
        processId: id,
        clock: new StoreClock(() => EPOCH + this.now + skew),
        leaseMs: 1000,
        capacity: 100,
        note: (slots, isTaken) => {
          for (const slot of slots) process.unwritten.add(slot);
          if (isTaken) this.flush(process);
        },
      }),
    };
    return process;
  }

  pass(ms: number): void {
    this.now += ms;
    this.air = this.air.filter(({ lostAt }) => this.now <= lostAt);
  }

  flush({ journal, unwritten }: Process): void {
    for (const { id, lease } of unwritten)
      journal?.set(lease.key, { id, key: lease.key, used: lease.used, held: lease.held });
    unwritten.clear();
  }

  accountOf({ id, limit }: Pick<Slot, 'id' | 'limit'>): Account {
    const known = this.accounts.get(id);
    if (known) return known;
    const made = { limitId: limit.id, forgiven: 0, spent: 0, held: 0, overshoot: 0, admitted: [] };
    this.accounts.set(id, made);
    return made;
  }

  take(process: Process, limits: readonly Limit[], amounts: readonly number[]): void {
    const { ledger } = process;
    const asks = limits.map((limit, index) => ({
      counter: ledger.counterOf(limit, '', {}),
      amount: amounts[index] ?? 0,
    }));
    const begin = (outcome: Reservation | Shortage) => {
      if (!('settle' in outcome)) return this.#refused(outcome);
      const { slots } = outcome as Reservation & { slots: readonly Slot[] };
      process.calls.push({ reservation: outcome, slots, amounts });
      for (const [index, slot] of slots.entries()) this.#admitted(slot, amounts[index] ?? 0);
    };
    const taken = ledger.take(asks, this.now);
    if (taken) begin(taken);
    else ledger.wait(asks, this.now, begin);
  }

  #admitted(slot: Slot, amount: number): void {
    if (amount > 0 && slackOf(slot.lease) < 0)
      throw new Error('I4: a process admitted beyond its own pocket');
    const account = this.accountOf(slot);
    account.held += amount;
    account.admitted.push({ at: this.now, amount });
    const { spent, held, forgiven, overshoot } = account;
    const enforced = this.enforced.get(slot.limit.id);
    const most = enforced && Math.max(enforced.cap + forgiven + overshoot, enforced.sums.get(slot.id) ?? 0);
    if (amount > 0 && most !== undefined && spent + held > most)
      throw new Error(`I11: ${spent + held} of ${enforced?.cap} were admitted a second after an edit`);
  }

  /** I12: a budget is called spent only where what calls came to leaves too little, though all that they hold came back. */
  #refused({ why, ask }: Shortage): void {
    const { slot } = ask.counter as Handle;
    const counter = slot && this.store.counters.get(slot.id);
    if (why !== 'spent' || !counter) return;
    // What processes held that were silent when the counter was read counts as spent; a change is known everywhere after a
    // second.
    const { readAt = this.now } = slot.known ?? {};
    const wasSilent = readAt <= (this.revivedAt.get(slot.id) ?? Number.NEGATIVE_INFINITY);
    const isSilent = Object.values(counter.L).some((lease) => this.#isSilent(lease));
    const isUnsure = this.dead.length > 0 || isSilent || wasSilent || this.now - this.changedAt < 2000;
    if (isUnsure || slot.limit.version !== counter.ver) return;
    const { spent, forgiven } = this.accountOf(slot);
    const left = counter.cap + forgiven - spent;
    if (left >= ask.amount)
      throw new Error(`I12: ${left} of ${counter.cap} are left, and ${ask.amount} was refused`);
  }

  /** From now on nobody may admit by a former amount of a limit. */
  enforce({ id, amount: cap }: Limit): void {
    const sums = [...this.accounts].map(([slot, { spent, held }]) => [slot, spent + held] as const);
    this.enforced.set(id, { cap, sums: new Map(sums) });
  }

  settle(process: Process, place: number, share: number): void {
    const [call] = process.calls.splice(place % Math.max(1, process.calls.length), 1);
    if (!call) return;
    const used = call.amounts.map((amount) => Math.round(amount * share));
    call.reservation.settle(used);
    // I6: only the first report counts.
    call.reservation.settle(used.map((amount) => amount + 1));
    for (const [index, slot] of call.slots.entries()) {
      const [reserved = 0, cost = 0] = [call.amounts[index], used[index]];
      const account = this.accountOf(slot);
      account.held -= reserved;
      account.spent += cost;
      account.overshoot += Math.max(0, cost - reserved);
    }
  }

  /** Begins a round where one is due. */
  send(process: Process): void {
    if (process.round) return;
    process.ledger.admit(this.now);
    process.round = process.ledger.rounds.prepare(process.ledger.moment(this.now));
    for (const slot of process.round?.slots ?? []) process.unwritten.add(slot);
    if (process.round) this.flush(process);
  }

  deliver(updates: readonly CounterUpdate[], from: string): void {
    for (const update of updates) {
      const isOwn = update.kind !== 'lease' || this.#isWriter(from, update.lease, update.id);
      const counter = this.store.counters.get(update.id);
      const before = counter?.room ?? 0;
      const lease = update.kind === 'lease' ? counter?.L[update.lease] : undefined;
      const wasSilent = lease !== undefined && this.#isSilent(lease);
      const isApplied = this.store.apply(update, EPOCH + this.now);
      if (isApplied && wasSilent) this.revivedAt.set(update.id, this.now);
      if (isApplied && !isOwn) throw new Error('I5: a lease was changed by somebody else');
      const asked = update.kind === 'lease' ? (update.roomAtLeast ?? 0) : 0;
      if (isApplied && asked > Math.max(0, before)) throw new Error(`I2: more was granted than there was`);
    }
    if (!this.store.conserves()) throw new Error('I1: room, use and leases do not add up');
  }

  /** Whether the process of a lease counts as dead. */
  #isSilent = ({ t }: { t: number }): boolean => t <= EPOCH + this.now - SILENCE_MS;

  /** Whether a lease is the business of who sends a message about it. */
  #isWriter(from: string, key: string, counter: string): boolean {
    const owner = key.slice(0, key.indexOf('-'));
    const lease = this.store.counters.get(counter)?.L[key];
    if (owner === from || !lease) return true;
    if (from === 'recovery') return this.dead.some(({ id }) => id === owner);
    const all = [...this.processes, ...this.dead];
    const slot = all.flatMap(({ ledger }) => ledger.slots.get(counter) ?? [])[0];
    return slot !== undefined && isLent(slot) && lease.t <= EPOCH + this.now - SILENCE_MS;
  }

  /** The round ends, its answer heard or not. */
  end(process: Process, isHeard: boolean): void {
    const { round, ledger } = process;
    if (!round) return;
    process.round = null;
    if (isHeard) ledger.rounds.completed(round, this.store.read(round.slots.map(({ id }) => id)), this.now);
    else ledger.rounds.failed(this.now, false);
  }

  crash(process: Process, hasDisk: boolean): void {
    process.isDead = true;
    if (!hasDisk) process.journal = null;
    this.dead.push(process);
    this.processes = this.processes.map((each) => (each === process ? this.#newProcess() : each));
  }

  /** What a look at the journals of dead processes sends to the store. */
  recoveries(): CounterUpdate[] {
    return this.dead.flatMap(({ id, journal }) => {
      if (!journal) return [];
      const ids = new Set([...journal.values()].map((lease) => lease.id));
      return this.store.read([...ids]).flatMap((counter) => recoveryOf(counter, id, journal));
    });
  }
}
