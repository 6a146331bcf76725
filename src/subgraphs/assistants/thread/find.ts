import type { GraphContext } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { notFound, requireId, requireReader, visible } from '../caller.ts';
import { type ThreadDocument, threadModel } from './model.ts';

const threadById = loaderById(threadModel, visible);

/** For references from other resources: null when the thread is gone or out of the credential's reach. */
export async function referencedThread(context: GraphContext, id: string): Promise<ThreadDocument | null> {
  requireReader(context);
  return threadById(context).load(id);
}

/** A thread that the caller reaches. Throws VALIDATION_FAILED for what is no id, and NOT_FOUND. */
export async function getThread(context: GraphContext, id: string): Promise<ThreadDocument> {
  requireId('thread', id);
  const found = await referencedThread(context, id);
  if (!found) throw notFound('thread', id);
  return found;
}
