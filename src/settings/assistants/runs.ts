import type { Settings } from '../settings.ts';
import { integer, wholeNumber } from '../values.ts';

/** How many runs one process executes at a time, and how many wait. */
export const runSettings = {
  RUN_SLOTS: integer(4000, 1, 100_000).describe(
    'runs and kept responses that one process executes at a time, each of which takes some 60 kB; others wait, and workspaces ' +
      'take turns; no more than `MAX_OPEN_CALLS`',
  ),
  RUN_WORKSPACE_SLOTS: wholeNumber(1, 100_000).optional().meta({
    unset: 'a quarter of `RUN_SLOTS`',
    description:
      'runs of one workspace among them, so that one leaves places to others; no more than `MAX_OPEN_CALLS_PER_KEY`',
  }),
  RUN_QUEUE_MAX: integer(10_000, 1, 1_000_000).describe(
    'runs of one workspace that may wait for a place; a further one is refused with 429',
  ),
};

type Values = { RUN_SLOTS: number; RUN_WORKSPACE_SLOTS?: number | undefined; RUN_QUEUE_MAX: number };

export const runSlotsOf = (values: Values): Settings['runs'] => ({
  slots: {
    all: values.RUN_SLOTS,
    ofWorkspace: values.RUN_WORKSPACE_SLOTS ?? Math.max(1, Math.floor(values.RUN_SLOTS / 4)),
  },
  mostQueued: values.RUN_QUEUE_MAX,
});
