import type { RunDocument } from '../../../runs/run.ts';
import type { GraphContext } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { notFound, requireId, requireReader, visible } from '../caller.ts';
import { runModel } from './model.ts';

/** A response is a run as well, but shown by its own paths. */
const runById = loaderById(runModel, (principal) => ({
  response: { $exists: false },
  ...visible(principal),
}));

/** For references from other resources: null when the run is gone or out of the credential's reach. */
export async function referencedRun(context: GraphContext, id: string): Promise<RunDocument | null> {
  requireReader(context);
  return runById(context).load(id);
}

/** A run of a thread as it is now. Throws VALIDATION_FAILED for what is no id, and NOT_FOUND. */
export async function getRun(context: GraphContext, threadId: string, id: string): Promise<RunDocument> {
  requireId('thread', threadId);
  requireId('run', id);
  const found = await referencedRun(context, id);
  if (!found || found.threadId !== threadId) throw notFound('run', id);
  return context.runs.current(found);
}
