import type { StoredAuditEntry } from '../../../recording/audit-chain.ts';
import type { Resolvers } from '../../subgraph.ts';
import { auditEntriesAdded, listAuditLogs } from './service.ts';

export const resolvers: Resolvers = {
  Query: { auditLogs: (_parent, args, context) => listAuditLogs(context, args) },
  Subscription: {
    auditEntryAdded: (_parent, { filters }, context) => auditEntriesAdded(context, filters),
  },
  AuditLog: { id: (entry: StoredAuditEntry) => entry._id },
};
