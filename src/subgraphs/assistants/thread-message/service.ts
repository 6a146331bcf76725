import { GatewayError } from '../../../errors/index.ts';
import type { MessageItem } from '../../../runs/items.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import type { CreateThreadMessageInput, UpdateThreadMessageInput } from '../../types.generated.ts';
import { notFound, requireId, requireReader, requireWriter, visible } from '../caller.ts';
import { formerPlaces, rememberPlace } from '../former-places.ts';
import { metadataOf } from '../members/index.ts';
import { bringToThread, getThread } from '../thread/index.ts';
import { threadItemModel } from './model.ts';
import { messageItems, writtenMessage } from './new-message.ts';

type ListArguments = CursorArguments & { threadId: string; runId?: string | null };

export async function listMessages(context: GraphContext, { threadId, runId, ...args }: ListArguments) {
  await getThread(context, threadId);
  const tenant = visible(requireReader(context));
  const formerPlace = formerPlaces(context, threadId, tenant);
  const page = await findCursorPage(
    threadItemModel(context.db),
    { threadId, kind: 'message', ...tenant },
    runId == null ? {} : { runId },
    { ...args, formerPlace },
  );
  return page as typeof page & { data: MessageItem[] };
}

export async function getMessage(context: GraphContext, threadId: string, id: string): Promise<MessageItem> {
  requireId('thread', threadId);
  requireId('message', id);
  const tenant = visible(requireReader(context));
  const found = await threadItemModel(context.db)
    .findOne({ _id: id, threadId, kind: 'message', ...tenant })
    .lean<MessageItem>();
  if (!found) throw notFound('message', id);
  return found;
}

export async function createMessage(
  context: GraphContext,
  threadId: string,
  input: CreateThreadMessageInput,
): Promise<MessageItem> {
  const owner = requireWriter(context);
  const thread = await getThread(context, threadId);
  requireRole(input);
  const message = writtenMessage(input, 'input');
  await requireIdle(context, threadId);
  await bringToThread(context, thread, [message]);
  const [item] = messageItems(context, owner, threadId, [message]);
  if (!item) throw new Error('A message was not made.');
  await threadItemModel(context.db).collection.insertOne(item as never);
  return item;
}

/** Messages that come with a thread are the user's unless they say otherwise; one that is added says whose it is. */
function requireRole({ role }: CreateThreadMessageInput): void {
  if (role != null) return;
  const param = 'input.role';
  const message = `${param} is required: user or assistant.`;
  throw new GatewayError('VALIDATION_FAILED', { message, param, reason: 'missing_required_parameter' });
}

export async function updateMessage(
  context: GraphContext,
  { threadId, id }: { threadId: string; id: string },
  input: UpdateThreadMessageInput,
): Promise<MessageItem> {
  const owner = requireWriter(context);
  requireId('thread', threadId);
  requireId('message', id);
  const change =
    input.metadata === undefined ? {} : { metadata: metadataOf(input.metadata, 'input.metadata') };
  const updated = await threadItemModel(context.db)
    .findOneAndUpdate({ _id: id, threadId, kind: 'message', ...owner }, change, { returnDocument: 'after' })
    .lean<MessageItem>();
  if (!updated) throw notFound('message', id);
  return updated;
}

export async function deleteMessage(context: GraphContext, threadId: string, id: string): Promise<string> {
  const owner = requireWriter(context);
  requireId('thread', threadId);
  requireId('message', id);
  await requireIdle(context, threadId);
  const deleted = await threadItemModel(context.db)
    .findOneAndDelete({ _id: id, threadId, kind: 'message', ...owner })
    .lean<MessageItem>();
  if (!deleted) throw notFound('message', id);
  await rememberPlace(context, threadId, deleted);
  return id;
}

/** Throws where a run is answering the thread: what it was asked must stay as it is. */
async function requireIdle(context: GraphContext, threadId: string): Promise<void> {
  const run = await context.runs.activeRun(threadId);
  if (!run) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `Can't add messages to ${threadId} while a run ${run._id} is active.`,
  });
}
