import type { Collection } from 'mongodb';
import type { RunDocument } from '../run.ts';
import { batchId, type RunEventBatch } from './batches.ts';
import type { PlacedRunEvent, RunEvent } from './channel.ts';
import type { Looks, RunState } from './looks.ts';
import { restored, runShape } from './shapes.ts';

/** A place among the events of a run: a claim, and the number of one of its events; 0 stands before the first. */
export type RunEventPlace = { fence: number; place: number };

/** Looks after the end of a run for which its last events may still be on their way. */
const LAST_LOOKS = 10;

const form = /^(\d{1,9})\.(\d{1,9})$/;

/** Reads the id of an event; null for what is none. */
export function eventPlaceOf(id: string): RunEventPlace | null {
  const [, fence, place] = form.exec(id) ?? [];
  return fence === undefined ? null : { fence: Number(fence), place: Number(place) };
}

type Deps = {
  runs: () => Collection<RunDocument>;
  batches: () => Collection<RunEventBatch>;
  looks: Looks;
};

/** The same as an iterator whose `return` ends it also while it waits, which that of a generator would not. */
export function followRun(
  deps: Deps,
  run: RunDocument,
  after: RunEventPlace | null,
): AsyncIterableIterator<PlacedRunEvent> {
  const leaving = new AbortController();
  const events = eventsOf(deps, run, after, leaving.signal);
  const iterator: AsyncIterableIterator<PlacedRunEvent> = {
    next: () => events.next(),
    return() {
      leaving.abort();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/**
 * The events of a run from a place on, whichever process executes it, until it ends or waits for outputs. Where another process
 * takes it over, the events of the present turn begin anew. Of a run whose events are not kept, each new status is told, and the
 * present one to whoever follows when another process takes it over.
 */
async function* eventsOf(
  { runs, batches, looks }: Deps,
  run: RunDocument,
  after: RunEventPlace | null,
  signal: AbortSignal,
): AsyncGenerator<PlacedRunEvent> {
  const shape = runShape(run);
  const shown = ({ from, events }: RunEventBatch, past: number, fence: number): PlacedRunEvent[] =>
    events
      .map((event, at) => ({ ...restored(event, shape), id: `${fence}.${from + at}` }))
      .slice(Math.max(0, past - from + 1));
  let { fence, place } = after ?? { fence: run.fence, place: 0 };
  let told: RunState['status'] | null = null;
  const kept = batches()
    .find({ runId: run._id, fence, to: { $gt: place } })
    .sort({ from: 1 });
  for await (const batch of kept) {
    yield* shown(batch, place, fence);
    place = batch.to;
    if (isLast(batch)) return;
  }
  for (let looksAtEnd = 0; !signal.aborted; ) {
    const { batch, run: now } = await looks.look(batchId(run._id, fence, place + 1), run._id);
    if (batch) {
      yield* shown(batch, place, fence);
      place = batch.to;
      if (isLast(batch)) return;
    } else if (!now) {
      yield* gone();
      return;
    } else if (now.fence > fence) {
      fence = now.fence;
      place = 0;
      told = null;
    } else {
      const isAtRest = now.active !== true || now.status === 'requires_action';
      if (run.isLogged && (!isAtRest || looksAtEnd++ < LAST_LOOKS)) continue;
      if (now.status !== told) yield* snapshot();
      told = now.status;
      if (isAtRest) {
        yield { event: 'done', data: '[DONE]' };
        return;
      }
    }
  }

  async function* snapshot(): AsyncGenerator<RunEvent> {
    const whole = await runs().findOne({ _id: run._id });
    if (whole) yield { event: `thread.run.${whole.status}`, data: runShape(whole) };
  }
}

const isLast = ({ events }: RunEventBatch): boolean => events.at(-1)?.event === 'done';

function* gone(): Generator<RunEvent> {
  const error = {
    message: 'The run is gone: its thread was deleted.',
    type: 'invalid_request_error',
    param: null,
    code: null,
  };
  yield { event: 'error', data: { ...error, error } };
  yield { event: 'done', data: '[DONE]' };
}
