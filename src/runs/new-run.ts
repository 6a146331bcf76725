import type { Insert } from '../storage/together.ts';
import type { ThreadItem } from './items.ts';
import type { RunDocument } from './run.ts';

/** A run as its request makes it, before the engine has taken it. */
export type NewRun = Omit<
  RunDocument,
  'status' | 'active' | 'owner' | 'fence' | 'attempt' | 'turn' | 'pending' | 'steps' | 'usage' | 'lastError'
>;

/** A thread that is stored with its run. */
export type NewThread = {
  /** All that is said on it. */
  items: ThreadItem[];
  /** Stores what it names. */
  prepare: () => Promise<void>;
  /** The thread and its items. */
  inserts: readonly Insert[];
};

export type Beginning = {
  isStreamed: boolean;
  /** What the stream begins with. */
  before?: { event: string; data: unknown };
  /** The thread of the run, where both are made together. */
  thread?: NewThread;
};
