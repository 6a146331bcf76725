import { randomId } from '../../../runs/ids.ts';
import type { GraphContext } from '../../context.ts';
import type { CreateThreadInput, UpdateThreadInput } from '../../types.generated.ts';
import { notFound, requireId, requireWriter } from '../caller.ts';
import { metadataOf, toolResourcesOf } from '../members/index.ts';
import { messageItems, threadItemModel, writtenMessage } from '../thread-message/index.ts';
import { type ThreadDocument, threadModel } from './model.ts';

/** Stores a thread with the messages that it begins with. */
export async function createThread(
  context: GraphContext,
  input: CreateThreadInput,
  param = 'input',
): Promise<ThreadDocument> {
  const owner = requireWriter(context);
  const messages = (input.messages ?? []).map((message, index) =>
    writtenMessage(message, `${param}.messages[${index}]`),
  );
  const now = context.now();
  const thread: ThreadDocument = {
    _id: randomId('thread'),
    ...owner,
    toolResources: toolResourcesOf(input.toolResources, `${param}.toolResources`) ?? {},
    metadata: metadataOf(input.metadata, `${param}.metadata`),
    createdAt: now,
    lastUpdatedAt: now,
  };
  const items = messageItems(context, owner, thread._id, messages);
  // The messages first: a thread that is there has all that it begins with.
  if (items.length > 0) await threadItemModel(context.db).collection.insertMany(items as never);
  await threadModel(context.db).collection.insertOne(thread as never);
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
  const change = {
    ...(toolResources !== undefined && {
      toolResources: toolResourcesOf(toolResources, 'input.toolResources') ?? {},
    }),
    ...(metadata !== undefined && { metadata: metadataOf(metadata, 'input.metadata') }),
  };
  const updated = await threadModel(context.db)
    .findOneAndUpdate({ _id: id, ...owner }, change, { returnDocument: 'after' })
    .lean<ThreadDocument>();
  if (!updated) throw notFound('thread', id);
  return updated;
}

/** The thread goes first: from then on nobody finds what is left of it. */
export async function deleteThread(context: GraphContext, id: string): Promise<string> {
  const owner = requireWriter(context);
  requireId('thread', id);
  const { deletedCount } = await threadModel(context.db).deleteOne({ _id: id, ...owner });
  if (deletedCount === 0) throw notFound('thread', id);
  await threadItemModel(context.db).deleteMany({ threadId: id, ...owner });
  return id;
}
