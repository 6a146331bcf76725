import { Schema } from 'mongoose';
import type { Logger } from '../../lib/logger.ts';
import { defineModel } from '../../storage/model.ts';
import type { RunDocument } from '../run.ts';
import type { RunEvent } from './channel.ts';
import type { RunEventLog } from './event-log.ts';

/** Seconds for which the events of a run can be read again. */
const KEPT_S = 3600;
/** Milliseconds within which events are written together. */
const BATCH_MS = 50;
/** The same for the first ones: most short runs end before, and nobody has come by then to follow them from elsewhere. */
const FIRST_MS = 150;
/** Events that are written together at most. */
const MOST_EVENTS = 500;

/** Events that one claim of a run has told one after the other; `from` counts them from 1. */
export type RunEventBatch = {
  /** `<run>.<fence>.<from>`: who has read up to one batch knows the id of the next. */
  _id: string;
  organisationId: string;
  workspaceId: string;
  runId: string;
  fence: number;
  from: number;
  to: number;
  events: RunEvent[];
  at: Date;
};

const schema = new Schema<RunEventBatch>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    runId: { type: String, required: true },
    fence: { type: Number, required: true },
    from: { type: Number, required: true },
    to: { type: Number, required: true },
    events: { type: Schema.Types.Mixed, required: true },
    at: { type: Date, required: true },
  },
  {
    collection: 'run_events',
    versionKey: false,
    minimize: false,
    id: false,
    autoIndex: false,
    autoCreate: false,
  },
);
schema.index({ runId: 1, fence: 1, from: 1 });
schema.index({ at: 1 }, { expireAfterSeconds: KEPT_S });
schema.index({ organisationId: 1, workspaceId: 1 });

export const runEventBatchModel = defineModel('RunEventBatch', schema);

/** The id of the batch that begins with an event. */
export const batchId = (runId: string, fence: number, from: number): string => `${runId}.${fence}.${from}`;

type Deps = { eventLog: Pick<RunEventLog, 'write'>; now: () => Date; log: Logger };

/** Writes what one claim of a run tells, for readers in other processes and for those who come again. */
export class RunEventWriter {
  readonly #deps: Deps;
  readonly #run: RunDocument;
  readonly #waiting: RunEvent[] = [];
  #written = 0;
  #timer: NodeJS.Timeout | undefined;
  #wait = FIRST_MS;
  #writing: Promise<void>;
  #isBroken = false;

  /** `stored`: nothing is written before it resolves, and nothing at all where it rejects. */
  constructor(deps: Deps, run: RunDocument, stored: Promise<void> = Promise.resolve()) {
    this.#deps = deps;
    this.#run = run;
    this.#writing = stored.catch(() => {
      this.#isBroken = true;
    });
  }

  push(event: RunEvent): void {
    if (this.#isBroken) return;
    this.#waiting.push(event);
    if (this.#waiting.length >= MOST_EVENTS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#wait).unref();
  }

  /** Has what waits written, behind what is being written: all that waits by then goes together. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#writing = this.#writing.then(() => this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    this.#wait = BATCH_MS;
    for (let left = this.#waiting.length; left > 0 && !this.#isBroken; left -= MOST_EVENTS)
      await this.#write(this.#waiting.splice(0, Math.min(left, MOST_EVENTS)));
  }

  async #write(events: RunEvent[]): Promise<void> {
    const from = this.#written + 1;
    this.#written += events.length;
    const { _id: runId, fence, organisationId, workspaceId } = this.#run;
    const { eventLog, now, log } = this.#deps;
    const tenant = { organisationId, workspaceId };
    try {
      await eventLog.write({
        ...{ _id: batchId(runId, fence, from), ...tenant, runId, fence },
        ...{ from, to: this.#written, events, at: now() },
      });
    } catch (error) {
      // A batch with a gap before it would never be read: who follows sees what becomes of the run itself.
      this.#isBroken = true;
      log.warn({ error, runId }, 'The events of a run are not kept any more.');
    }
  }
}
