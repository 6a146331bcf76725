import type { Resolvers } from '../resolvers.generated.ts';
import { createMessage, deleteMessage, getMessage, listMessages, updateMessage } from './service.ts';

export const resolvers = {
  Query: {
    threadMessage: (_parent, { threadId, id }, context) => getMessage(context, threadId, id),
    threadMessages: (_parent, args, context) => listMessages(context, args),
  },
  Mutation: {
    createThreadMessage: (_parent, { threadId, input }, context) => createMessage(context, threadId, input),
    updateThreadMessage: (_parent, { threadId, id, input }, context) =>
      updateMessage(context, { threadId, id }, input ?? {}),
    deleteThreadMessage: (_parent, { threadId, id }, context) => deleteMessage(context, threadId, id),
  },
  ThreadMessage: {
    id: (message) => message._id,
    incompleteDetails: ({ incompleteReason: reason }) => (reason === null ? null : { reason }),
    attachments: ({ attachments }) => attachments ?? [],
  },
} satisfies Resolvers;
