import type { ResponseAnswer } from '../../../dataplane/keeping/keeper.ts';
import { isObject } from '../../../lib/json.ts';
import type { Begun } from '../../../runs/index.ts';
import type { Refusal } from '../../../runs/responses/teller.ts';
import type { ResponseRun } from '../../../runs/run.ts';
import { endedResponse } from './find.ts';
import { removeResponse } from './remove.ts';
import type { ResponseServices } from './services.ts';

type RunEvents = NonNullable<Begun['events']>;
type Event = { event: string; data: unknown };
type Waiting = { events: Begun['events']; isStreamed: boolean; signal: AbortSignal };

/** What says that the model has begun to answer. */
const begins = (event: string): boolean => event !== 'response.created' && event !== 'response.queued';

/**
 * The answer to a caller who waits: what the provider said where it refused, and then nothing is kept. A caller who leaves has the
 * response cancelled.
 */
export async function answerOfEvents(
  services: ResponseServices,
  run: ResponseRun,
  { events, isStreamed, signal }: Waiting,
): Promise<ResponseAnswer> {
  const cancel = () => void services.runs.cancel(run).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const iterator = (events as RunEvents)[Symbol.asyncIterator]();
  const early: Event[] = [];
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    if (next.value.event === 'refused') {
      await rest(iterator);
      await removeResponse(services, run);
      const { status, headers, body } = next.value.data as Refusal;
      return { kind: 'whole', status, headers: headers as Record<string, string>, body };
    }
    early.push(next.value);
    if (begins(next.value.event)) break;
  }
  if (isStreamed) return { kind: 'events', events: following(early, iterator) };
  return { kind: 'whole', status: 200, headers: {}, body: await wholeOf(services, run, early, iterator) };
}

async function rest(iterator: AsyncIterator<Event>): Promise<void> {
  while (!(await iterator.next()).done);
}

async function* following(early: Event[], iterator: AsyncIterator<Event>): AsyncGenerator<Event> {
  try {
    yield* early;
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      if (next.value.event !== 'done') yield next.value;
  } finally {
    await iterator.return?.();
  }
}

const ends = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

/** The response at its end, as JSON; it is read where its last event did not come, such as when another process ended it. */
async function wholeOf(
  services: ResponseServices,
  run: ResponseRun,
  early: Event[],
  iterator: AsyncIterator<Event>,
): Promise<string> {
  for await (const { event, data } of following(early, iterator))
    if (ends.has(event) && isObject(data)) return JSON.stringify(data.response);
  return JSON.stringify(await endedResponse(services, run));
}
