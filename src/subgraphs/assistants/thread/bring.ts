import type { GraphContext } from '../../context.ts';
import { broughtBy, type MessageWithFiles } from '../attachments.ts';
import { type ThreadDocument, threadModel } from './model.ts';

/** Gives the tools of a thread the files that new messages bring along. */
export async function bringToThread(
  context: GraphContext,
  thread: ThreadDocument,
  messages: readonly MessageWithFiles[],
): Promise<void> {
  const brought = await broughtBy(context, thread, messages);
  if (!brought) return;
  await brought.store();
  const { _id, organisationId, workspaceId } = thread;
  await threadModel(context.db).updateOne(
    { _id, organisationId, workspaceId },
    { $set: { toolResources: brought.resources } },
  );
}
