import type { Resolvers } from '../resolvers.generated.ts';
import { eraseThreads } from './erase.ts';
import { getThread } from './find.ts';
import { createThread, deleteThread, updateThread } from './service.ts';

export const resolvers = {
  Query: { thread: (_parent, { id }, context) => getThread(context, id) },
  Mutation: {
    createThread: (_parent, { input }, context) => createThread(context, input ?? {}),
    updateThread: (_parent, { id, input }, context) => updateThread(context, id, input ?? {}),
    deleteThread: (_parent, { id }, context) => deleteThread(context, id),
    eraseThreads: (_parent, { input }, context) => eraseThreads(context, input),
  },
  Thread: { id: (thread) => thread._id },
} satisfies Resolvers;
