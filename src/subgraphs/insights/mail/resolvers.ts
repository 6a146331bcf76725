import type { Resolvers } from '../resolvers.generated.ts';
import { listMails } from './service.ts';

export const resolvers = {
  Query: { outbox: (_parent, args, context) => listMails(context, args) },
  Mail: { id: (mail) => mail._id },
} satisfies Resolvers;
