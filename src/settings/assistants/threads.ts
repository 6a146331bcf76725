import { wholeNumber } from '../values.ts';

/** How long conversations are kept. */
export const threadSettings = {
  THREAD_RETENTION_DAYS: wholeNumber(1, 3650)
    .optional()
    .meta({
      unset: 'threads are kept until somebody deletes them',
      description:
        'days after which a thread is erased on which nothing was said since: with its messages and runs, the files that ' +
        'tools made on it, and the bodies of the logs of its runs',
    }),
};
