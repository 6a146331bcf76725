import { Schema, type SchemaDefinition } from 'mongoose';
import type { StoredAuditEntry } from '../../../recording/audit-trail.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

const fields = {
  _id: String,
  organisationId: String,
  workspaceId: { type: String, default: null },
  userId: String,
  userType: String,
  resourceType: String,
  action: String,
  targetId: { type: String, default: null },
  outcome: String,
  responseStatusCode: Number,
  method: String,
  uri: String,
  requestId: String,
  requestBody: String,
  queryParams: String,
  requestHeaders: String,
  clientIp: String,
  userAgent: String,
  timestamp: Date,
} satisfies Record<keyof StoredAuditEntry, unknown>;

const schema = new Schema<StoredAuditEntry>(fields as SchemaDefinition<StoredAuditEntry>, {
  ...resourceSchema('audit_logs'),
  timestamps: false,
});
schema.index({ organisationId: 1, timestamp: -1, _id: -1 });

export const auditLogModel = defineModel('AuditLog', schema);
