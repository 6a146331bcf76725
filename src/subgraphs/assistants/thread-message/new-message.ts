import { timeOrderedId } from '../../../runs/ids.ts';
import type { MessageItem } from '../../../runs/items.ts';
import type { GraphContext } from '../../context.ts';
import type { CreateThreadMessageInput } from '../../types.generated.ts';
import { attachmentsOf, contentOf, metadataOf } from '../members/index.ts';

type Owner = { organisationId: string; workspaceId: string };

/** A message as a caller writes it: checked, and without a thread yet. */
export type WrittenMessage = Pick<MessageItem, 'role' | 'content' | 'metadata' | 'attachments'>;

/** Checks a message of a caller; `param` is where it stands in the request. */
export function writtenMessage(input: CreateThreadMessageInput, param: string): WrittenMessage {
  const content = contentOf(input.content, `${param}.content`);
  const attachments = attachmentsOf(input.attachments, `${param}.attachments`);
  return {
    role: input.role ?? 'user',
    content,
    attachments,
    metadata: metadataOf(input.metadata, `${param}.metadata`),
  };
}

/** The items that messages of a caller become on a thread, in the order in which they were written. */
export const messageItems = (
  context: Pick<GraphContext, 'now'>,
  { organisationId, workspaceId }: Owner,
  threadId: string,
  messages: readonly WrittenMessage[],
): MessageItem[] => {
  const createdAt = context.now();
  return messages.map((message) => ({
    _id: timeOrderedId('msg'),
    kind: 'message',
    organisationId,
    workspaceId,
    threadId,
    runId: null,
    fence: 0,
    turn: 0,
    finish: null,
    ...message,
    status: 'completed',
    incompleteReason: null,
    completedAt: null,
    incompleteAt: null,
    assistantId: null,
    createdAt,
  }));
};
