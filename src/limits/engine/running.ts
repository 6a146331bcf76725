import type { Gauge } from '../../lib/gauge.ts';
import type { Logger } from '../../lib/logger.ts';
import type { CounterStore } from '../counters/document.ts';
import type { LimitEngine } from '../engine.ts';
import type { Slot } from '../ledger/slot.ts';

/** The engine as the process that runs it starts and ends it. */
export type RunningLimits = LimitEngine & {
  start(): void;
  /** Reports all that was used and gives back what is leased. Calls that are still open keep what they hold leased. */
  stop(): Promise<void>;
  /** Whether the store has not answered for so long that limits go by what their owner wants then. */
  isLost(): boolean;
  /** Milliseconds by which this machine's clock is ahead of the store's; 0 before the store has said a time. */
  clockSkew(): number;
  gauges: Gauge[];
};

export type LimitEngineOptions = {
  store: CounterStore;
  /** Milliseconds of its demand that a process leases ahead. */
  leaseMs: number;
  /** Where the processes of a data directory keep their journals; null to keep none and read none. */
  journalDirectory: string | null;
  /** Told of a counter after it was read. */
  onRead?: (slot: Slot) => void;
  log: Logger;
  /** Milliseconds since the epoch, by the process's own clock. */
  now?: () => number;
};
