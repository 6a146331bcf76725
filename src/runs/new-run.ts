import type { ThreadItem } from './items.ts';
import type { RunDocument } from './run.ts';

/** A run as its request makes it, before the engine has taken it. */
export type NewRun = Omit<
  RunDocument,
  'status' | 'active' | 'owner' | 'fence' | 'attempt' | 'turn' | 'pending' | 'steps' | 'usage' | 'lastError'
>;

export type Beginning = {
  isStreamed: boolean;
  /** What the stream begins with. */
  before?: { event: string; data: unknown };
  /** The thread of the run, where both are made together: all that it has, and what stores it. */
  thread?: { items: ThreadItem[]; store: () => Promise<void> };
};
