import type { Resource } from '../../subgraph.ts';
import { auditLogModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const auditLog: Resource = { name: 'audit-log', models: [auditLogModel], resolvers };
