import { randomId } from '../../../runs/ids.ts';
import type { GraphContext } from '../../context.ts';
import type { CreateThreadInput } from '../../types.generated.ts';
import { requireWriter } from '../caller.ts';
import { metadataOf, toolResourcesOf } from '../members/index.ts';
import { messageItems, threadItemModel, writtenMessage } from '../thread-message/index.ts';
import { type ThreadDocument, threadModel } from './model.ts';

/** A thread that is checked and not stored yet; `param` is where it stands in the request. */
export function newThread(
  context: GraphContext,
  input: CreateThreadInput,
  param: string,
): { thread: ThreadDocument; store(): Promise<void>; remove(): Promise<void> } {
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
  return {
    thread,
    async store() {
      const items = messageItems(context, owner, thread._id, messages);
      // The messages first: a thread that is there has all that it begins with.
      if (items.length > 0) await threadItemModel(context.db).collection.insertMany(items as never);
      await threadModel(context.db).collection.insertOne(thread as never);
    },
    async remove() {
      await threadModel(context.db).deleteOne({ _id: thread._id, ...owner });
      await threadItemModel(context.db).deleteMany({ threadId: thread._id, ...owner });
    },
  };
}

/** A thread, as events show it: the same that a read of it answers. */
export const threadShape = ({ _id, createdAt, toolResources, metadata }: ThreadDocument) => ({
  id: _id,
  object: 'thread',
  created_at: Math.floor(createdAt.getTime() / 1000),
  tool_resources: toolResources,
  metadata,
});
