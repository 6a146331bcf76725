import type { SubscriptionResolvers } from '../../subgraph.ts';
import type { SubscriptionAuditEntryAddedArgs } from '../../types.generated.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { auditEntriesAdded, listAuditLogs } from './service.ts';

export const resolvers = {
  Query: { auditLogs: (_parent, args, context) => listAuditLogs(context, args) },
  Subscription: {
    auditEntryAdded: (_parent, { filters }: SubscriptionAuditEntryAddedArgs, context) =>
      auditEntriesAdded(context, filters),
  },
  AuditLog: { id: (entry) => entry._id },
} satisfies Resolvers & SubscriptionResolvers;
