import type { Collection } from 'mongodb';
import type { Dataplane } from '../dataplane/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { ThreadItem } from './items.ts';
import type { RunDocument } from './run.ts';

/** What the execution of runs needs. */
export type RunDeps = {
  runs(): Collection<RunDocument>;
  items(): Collection<ThreadItem>;
  dataplane: Dataplane;
  secrets: Secrets;
  now: () => Date;
  log: Logger;
};

/** Another process has the run now, or nobody: whoever learns this writes nothing more and tells nobody. */
export class RunSuperseded extends Error {}
