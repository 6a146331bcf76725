import { invalidInput } from '../../../errors/index.ts';
import { eventPlaceOf, type PlacedRunEvent } from '../../../runs/index.ts';
import type { GraphContext } from '../../context.ts';
import { getRun } from './find.ts';

/** Where to begin: behind the event that a parameter names, or with the present turn. */
type Beginning = { param: string; id: string | null | undefined };

/** The events of a run as they come. */
export async function followRun(
  context: GraphContext,
  { threadId, id }: { threadId: string; id: string },
  after: Beginning,
): Promise<AsyncIterableIterator<PlacedRunEvent>> {
  const run = await getRun(context, threadId, id);
  if (after.id == null) return context.runs.follow(run, null);
  const place = eventPlaceOf(after.id);
  if (place && place.fence <= run.fence) return context.runs.follow(run, place);
  throw invalidInput(after.param, `${after.param} must be the id of an event of this run, such as 1.3.`);
}
