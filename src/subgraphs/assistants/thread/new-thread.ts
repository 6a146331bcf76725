import { randomId } from '../../../runs/ids.ts';
import type { NewThread } from '../../../runs/index.ts';
import type { GraphContext } from '../../context.ts';
import type { CreateThreadInput } from '../../types.generated.ts';
import { broughtBy } from '../attachments.ts';
import { requireWriter } from '../caller.ts';
import { metadataOf } from '../members/index.ts';
import { messageItems, threadItemModel, writtenMessage } from '../thread-message/index.ts';
import { checkedToolResources } from '../tool-resources.ts';
import { type ThreadDocument, threadModel } from './model.ts';

type MadeThread = NewThread & {
  thread: ThreadDocument;
  store(): Promise<void>;
  remove(): Promise<void>;
};

/** A thread that is checked and not stored yet; `param` is where it stands in the request. */
export async function newThread(
  context: GraphContext,
  input: CreateThreadInput,
  param: string,
): Promise<MadeThread> {
  const owner = requireWriter(context);
  const messages = (input.messages ?? []).map((message, index) =>
    writtenMessage(message, `${param}.messages[${index}]`),
  );
  const given = await checkedToolResources(context, owner, input.toolResources, {
    param: `${param}.toolResources`,
    makesStores: true,
  });
  const now = context.now();
  const named: ThreadDocument = {
    _id: randomId('thread'),
    ...owner,
    toolResources: given.resources ?? {},
    metadata: metadataOf(input.metadata, `${param}.metadata`),
    createdAt: now,
    lastUpdatedAt: now,
  };
  const brought = await broughtBy(context, named, messages);
  const thread = { ...named, toolResources: brought?.resources ?? named.toolResources };
  const items = messageItems(context, owner, thread._id, messages);
  const prepare = async () => {
    await given.store();
    await brought?.store();
  };
  return {
    thread,
    items,
    prepare,
    inserts: [
      { collection: threadModel(context.db).collection.name, document: thread },
      ...items.map((item) => ({ collection: threadItemModel(context.db).collection.name, document: item })),
    ],
    async store() {
      await prepare();
      // Nobody knows the id before both are there.
      await Promise.all([
        items.length > 0 && threadItemModel(context.db).collection.insertMany(items as never),
        threadModel(context.db).collection.insertOne(thread as never),
      ]);
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
