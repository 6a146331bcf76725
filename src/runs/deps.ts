import type { Collection } from 'mongodb';
import type { Dataplane } from '../dataplane/index.ts';
import type { Files } from '../files/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { Together } from '../storage/together.ts';
import type { RunEventBatch } from './events/batches.ts';
import type { RunEventLog } from './events/event-log.ts';
import type { ThreadItem } from './items.ts';
import type { RunDocument } from './run.ts';
import type { HostedTool } from './tools/tool.ts';

/** Tokens that the model of a run takes, its answer included; null where that is not known. */
export type ContextWindows = (run: Pick<RunDocument, 'workspaceId' | 'model'>) => Promise<number | null>;

/** What the execution of runs needs. */
export type RunDeps = {
  runs(): Collection<RunDocument>;
  items(): Collection<ThreadItem>;
  batches(): Collection<RunEventBatch>;
  eventLog: RunEventLog;
  together: Together;
  /** Whether a thread is stored. */
  hasThread(id: string): Promise<boolean>;
  dataplane: Dataplane;
  /** What the gateway runs itself for models. */
  tools: readonly HostedTool[];
  /** Where images lie that messages name by their files. */
  files: Pick<Files, 'find' | 'open'>;
  secrets: Secrets;
  contextWindow: ContextWindows;
  now: () => Date;
  log: Logger;
};

/** Another process has the run now, or nobody: whoever learns this writes nothing more and tells nobody. */
export class RunSuperseded extends Error {}

/** A hosted tool cannot do its work, and the run cannot go on without: the message is shown to the caller. */
export class ToolFailed extends Error {}
