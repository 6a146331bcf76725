import type { AuditQuery } from '../documents.ts';

export type AuditEntry = NonNullable<AuditQuery['auditLogs']>['records'][number];
