import { randomBytes } from 'node:crypto';
import { heardInTime, LateError } from '../../lib/in-time.ts';
import type { LimitAsk, LimitAsker, Reservation, Shortage } from '../engine.ts';
import { Journal, Recovery } from '../journal/index.ts';
import { StoreClock } from '../ledger/clock.ts';
import { Ledger } from '../ledger/ledger.ts';
import { LOSS_MS, type Round } from '../ledger/rounds.ts';
import type { Handle, Waiter } from '../ledger/waiting.ts';
import { limitGauges } from './gauges.ts';
import type { LimitEngineOptions, RunningLimits } from './running.ts';

export {
  type CounterChange,
  type CounterPage,
  type CounterReport,
  counterById,
  counterReport,
  countersById,
  countersOfLimit,
  editCounters,
  resetCounter,
  returnAbandoned,
} from '../counters/administration.ts';
export { forecastOf } from '../counters/forecast.ts';
export { limitCounterModel } from '../counters/model.ts';
export { createCounterStore } from '../counters/store.ts';
export type { LimitEngineOptions, RunningLimits } from './running.ts';

/** Counters in the memory of one process. */
const CAPACITY = 50_000;
/** Rounds in which a stop tries to report and give back everything. */
const LAST_ROUNDS = 20;

/** The engine of one process, over the counters that all processes share. */
export function createLimitEngine({
  store,
  leaseMs,
  journalDirectory: directory,
  onRead,
  log,
  now = Date.now,
}: LimitEngineOptions): RunningLimits {
  const clock = new StoreClock(now);
  const mono = () => performance.now();
  const processId = randomBytes(9).toString('base64url').replaceAll('-', '_');
  const journal =
    directory === null ? null : new Journal({ directory, processId, slots: () => ledger.slots.all(), log });
  const recovery = directory === null ? null : new Recovery({ directory, store, log });
  const ledger = new Ledger({
    processId,
    clock,
    leaseMs,
    capacity: CAPACITY,
    wake,
    ...(journal && { note: journal.note }),
    ...(onRead && { onRead }),
  });
  let timer: NodeJS.Timeout | undefined;
  let isWoken = false;
  let isStopped = false;
  let exchanging: Promise<void> | null = null;
  const seconds = { sum: 0 };

  /** Work that a settlement or a new call has made due is done once the present turn is over. */
  function wake(): void {
    if (isWoken || isStopped) return;
    isWoken = true;
    queueMicrotask(() => {
      isWoken = false;
      tick();
    });
  }

  function tick(): void {
    clearTimeout(timer);
    if (exchanging) return;
    ledger.admit(mono());
    const round = ledger.rounds.prepare(ledger.moment(mono()));
    if (round) exchanging = exchange(round).finally(afterwards);
    else if (!isStopped) schedule();
  }

  function afterwards(): void {
    exchanging = null;
    if (isStopped) return;
    if (ledger.rounds.waiting.size > 0) wake();
    else schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(tick, ledger.rounds.pause(mono()));
    timer.unref();
  }

  async function exchange(round: Round): Promise<void> {
    const begun = mono();
    try {
      const ids = round.slots.map(({ id }) => id);
      journal?.beforeRound(round.slots);
      const write = async () => {
        if (round.updates.length > 0) await store.write(round.updates);
        return store.read(ids);
      };
      const documents = await heardInTime(write(), LOSS_MS);
      if (ledger.rounds.isLost(mono())) log.info('The store answers again; limits hold everywhere.');
      ledger.rounds.completed(round, documents, mono());
    } catch (error) {
      const wasLost = ledger.rounds.isLost(mono());
      ledger.rounds.failed(mono(), error instanceof LateError);
      if (!wasLost && ledger.rounds.isLost(mono()))
        log.warn(
          { error },
          'The store of limits does not answer; each limit does what it is set to do then.',
        );
    }
    journal?.afterRound();
    seconds.sum += (mono() - begun) / 1000;
  }

  function take(asks: readonly LimitAsk[], asker?: LimitAsker) {
    const taken = ledger.take(asks, mono());
    if (taken) return taken;
    return waitFor(asks, asker?.signal);
  }

  function waitFor(
    asks: readonly LimitAsk[],
    signal?: AbortSignal,
  ): Reservation | Shortage | Promise<Reservation | Shortage> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Reservation | Shortage>();
    let known: Reservation | Shortage | null = null;
    const begun = mono();
    const settle: Waiter['settle'] = (outcome) => {
      known = outcome;
      signal?.removeEventListener('abort', onAbort);
      waitSeconds += (mono() - begun) / 1000;
      resolve(outcome);
    };
    const waiter = ledger.wait(asks, begun, settle);
    function onAbort(): void {
      if (waiter) ledger.leave(waiter);
      reject(signal?.reason);
    }
    if (known) return known;
    signal?.addEventListener('abort', onAbort, { once: true });
    return promise;
  }
  let waitSeconds = 0;

  return {
    counterOf: (limit, valueKey, values) => ledger.counterOf(limit, valueKey, values),
    take,
    look: (asks) => ledger.look(asks, mono()),
    stateOf: (counter) => ledger.stateOf(counter as Handle, mono()),
    isLost: () => ledger.rounds.isLost(mono()),
    clockSkew: () => clock.skew(mono()),
    gauges: limitGauges(ledger, {
      roundSeconds: () => seconds.sum,
      waitSeconds: () => waitSeconds,
      now: mono,
      clockSkew: () => clock.skew(mono()),
      isJournalLost: () => journal?.isLost ?? false,
      recovered: () => recovery?.count ?? 0,
    }),
    start() {
      journal?.open();
      recovery?.start();
      schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await Promise.all([exchanging, recovery?.stop()]);
      if (!(await reportAll()))
        log.warn('What this process used of limits could not be reported; it stays reserved.');
      journal?.close([...ledger.slots.all()].every(({ lease }) => !lease.joined && lease.used === 0));
    },
  };

  /** Whether the store knows all in the end. */
  async function reportAll(): Promise<boolean> {
    for (let left = LAST_ROUNDS; left > 0; left--) {
      const round = ledger.rounds.prepareLast(ledger.moment(mono()));
      if (!round) return true;
      await exchange(round);
    }
    return false;
  }
}
