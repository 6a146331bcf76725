import type { Connection } from 'mongoose';
import type { Logger } from '../../../lib/logger.ts';
import type { Leaf } from '../../../routing-config/plan.ts';
import { Circuits, type Name, type Opening } from './circuits.ts';
import type { CallEnd } from './rule.ts';
import { addOutcomes, circuitId, openCircuit, readCircuits } from './store.ts';

export { type IdentifyingCall, targetIdentity } from './identity.ts';
export { type Circuit, circuitId, circuitModel, placeOfCircuit, readCircuits } from './store.ts';

/**
 * The circuit breakers of a saved config, as one call meets them: each target counts by provider, credential and model.
 */
export type Health = {
  isOpen(leaf: Leaf): boolean;
  /** Counts how a target's call ended, retries included. */
  settled(leaf: Leaf, end: CallEnd): void;
};

export type Breakers = {
  /** `identity`: of what a target is for the call. */
  of(configId: string, organisationId: string, identity: (leaf: Leaf) => string): Health;
  /** Writes what is counted and not yet written. */
  stop(): Promise<void>;
};

/** Milliseconds between two exchanges with the store, while calls come by a circuit breaker. */
const INTERVAL = 300;
/** Circuits in one read or write. */
const BATCH = 500;

/**
 * Circuit breakers that all processes share through the database, which no call waits for: an opening is written at once,
 * counts every 300 ms, and what others wrote is read as often. So another process may call a target for about that long
 * after it was taken out, and a circuit opens at the latest when the sum of all processes' counts is read.
 */
export function createBreakers(db: Connection, { now, log }: { now: () => Date; log: Logger }): Breakers {
  const circuits = new Circuits();
  const time = () => now().getTime();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failing = false;
  let exchanging: Promise<void> = Promise.resolve();
  let opening: Promise<unknown> = Promise.resolve();

  async function attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      failing = false;
      return true;
    } catch (error) {
      if (!failing)
        log.warn({ error }, 'Circuit breakers cannot be shared; each process goes by its own counts.');
      failing = true;
      return false;
    }
  }

  function open({ id, organisationId, until, cooldown }: Opening): void {
    log.warn({ circuit: id, until: new Date(until) }, 'A circuit breaker has taken a target out.');
    const written = attempt(() => openCircuit(db, { _id: id, organisationId }, until, cooldown));
    opening = Promise.all([opening, written]);
  }

  async function write(): Promise<void> {
    const additions = circuits.takeAdditions();
    for (const batch of batches(additions)) {
      if (!(await attempt(() => addOutcomes(db, batch, time())))) circuits.giveBack(batch);
    }
  }

  async function read(): Promise<void> {
    for (const batch of batches(circuits.inUse(time()))) {
      await attempt(async () => {
        for (const circuit of await readCircuits(db, batch)) {
          const due = circuits.adopt(circuit, time());
          if (due) open(due);
        }
      });
    }
  }

  /** Goes on by itself until no call came by for a while. */
  function wake(): void {
    if (timer || stopped) return;
    timer = setTimeout(() => {
      exchanging = write()
        .then(read)
        .then(() => {
          timer = undefined;
          if (circuits.inUse(time()).length > 0) wake();
        });
    }, INTERVAL);
    timer.unref();
  }

  return {
    of(configId, organisationId, identity) {
      const nameOf = (leaf: Leaf): Name => {
        const target = `${configId}:${leaf.path}`;
        return { target, id: circuitId(configId, leaf.path, identity(leaf)), organisationId };
      };
      return {
        isOpen(leaf) {
          if (!leaf.breaker) return false;
          wake();
          return circuits.isOpen(nameOf(leaf), leaf.breaker, time());
        },
        settled(leaf, end) {
          if (!leaf.breaker) return;
          wake();
          const due = circuits.settle(nameOf(leaf), leaf.breaker, end, time());
          if (due) open(due);
        },
      };
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await exchanging;
      await write();
      await opening;
    },
  };
}

const batches = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) =>
    items.slice(index * BATCH, (index + 1) * BATCH),
  );
