import type { Connection } from 'mongoose';
import { GatewayError } from '../errors/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { Leases } from './leases.ts';

/** Work that comes up again and again, and that one process at a time does. */
export type Duty = {
  /** Looks for work now. */
  wake(): void;
  start(): void;
  /** Ends the work that is under way; what is left is done by another process or after the next start. */
  stop(): Promise<void>;
};

export type DutyOptions = {
  name: string;
  db: Connection;
  leases: Leases;
  log: Logger;
  /** Whether there is work: one read, so that a look without work writes nothing. */
  isDue(): Promise<boolean>;
  /** Does what is due now; gives up soon after the signal aborts. */
  work(signal: AbortSignal): Promise<void>;
};

/** Milliseconds between two looks for work. */
const LOOK_MS = 1000;

export function createDuty({ name, db, leases, log, isDue, work }: DutyOptions): Duty {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      if (await isDue()) await leases.hold(db, `duty ${name}`, 0, () => work(stopping.signal));
    } catch (error) {
      // Another process does it.
      if (error instanceof GatewayError && error.code === 'IN_PROGRESS') return;
      log.warn({ error, duty: name }, 'Work that is due could not be done yet.');
    } finally {
      looking = null;
    }
  }

  function wake(): void {
    if (!stopping.signal.aborted) looking ??= look();
  }

  return {
    wake,
    start() {
      wake();
      timer = setInterval(wake, LOOK_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await looking;
    },
  };
}
