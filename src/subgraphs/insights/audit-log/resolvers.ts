import type { SubscriptionResolvers } from '../../subgraph.ts';
import type { SubscriptionAuditEntryAddedArgs } from '../../types.generated.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { checkChain } from './chain.ts';
import { auditFacets } from './facets.ts';
import { auditEntriesAdded, listAuditLogs } from './service.ts';

export const resolvers = {
  Query: {
    auditLogs: (_parent, args, context) => listAuditLogs(context, args),
    auditLogFacets: (_parent, args, context) => auditFacets(context, args),
    auditChain: (_parent, args, context) => checkChain(context, args),
  },
  Subscription: {
    auditEntryAdded: (_parent, { filters }: SubscriptionAuditEntryAddedArgs, context) =>
      auditEntriesAdded(context, filters),
  },
  AuditLog: {
    id: (entry) => entry._id,
    changes: ({ changes }) => [...(changes ?? [])],
  },
} satisfies Resolvers & SubscriptionResolvers;
