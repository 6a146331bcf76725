import { Schema, type SchemaDefinition } from 'mongoose';
import type { AuditEntry } from '../../../recording/audit-trail.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type AuditLogDocument = AuditEntry & { _id: string };

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
} satisfies Record<keyof AuditLogDocument, unknown>;

const schema = new Schema<AuditLogDocument>(fields as SchemaDefinition<AuditLogDocument>, {
  ...resourceSchema('audit_logs'),
  timestamps: false,
});
schema.index({ organisationId: 1, timestamp: -1 });

export const auditLogModel = defineModel('AuditLog', schema);
