import type { GraphContext } from '../../context.ts';
import type { CreateThreadInput, UpdateThreadInput } from '../../types.generated.ts';
import { notFound, requireId, requireWriter } from '../caller.ts';
import { metadataOf } from '../members/index.ts';
import { threadItemModel } from '../thread-message/index.ts';
import { checkedToolResources } from '../tool-resources.ts';
import { type ThreadDocument, threadModel } from './model.ts';
import { newThread } from './new-thread.ts';

/** Stores a thread with the messages that it begins with. */
export async function createThread(context: GraphContext, input: CreateThreadInput): Promise<ThreadDocument> {
  const { thread, store } = await newThread(context, input, 'input');
  await store();
  return thread;
}

export async function updateThread(
  context: GraphContext,
  id: string,
  input: UpdateThreadInput,
): Promise<ThreadDocument> {
  const owner = requireWriter(context);
  requireId('thread', id);
  const { toolResources, metadata } = input;
  const { resources } = await checkedToolResources(context, owner, toolResources, {
    param: 'input.toolResources',
    makesStores: false,
  });
  const change = {
    ...(toolResources !== undefined && { toolResources: resources ?? {} }),
    ...(metadata !== undefined && { metadata: metadataOf(metadata, 'input.metadata') }),
  };
  const updated = await threadModel(context.db)
    .findOneAndUpdate({ _id: id, ...owner }, change, { returnDocument: 'after' })
    .lean<ThreadDocument>();
  if (!updated) throw notFound('thread', id);
  return updated;
}

/** The thread goes last: where the process dies before, whoever asks again finds it, and what is left of it goes with it. */
export async function deleteThread(context: GraphContext, id: string): Promise<string> {
  const owner = requireWriter(context);
  requireId('thread', id);
  const found = await threadModel(context.db).exists({ _id: id, ...owner });
  if (!found) throw notFound('thread', id);
  const removeContents = async () => {
    await context.runs.forgetThread(id);
    await threadItemModel(context.db).deleteMany({ threadId: id, ...owner });
  };
  await removeContents();
  await threadModel(context.db).deleteOne({ _id: id, ...owner });
  // What was begun meanwhile found the thread still there.
  await removeContents();
  return id;
}
