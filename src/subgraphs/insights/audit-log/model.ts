import { Schema, type SchemaDefinition } from 'mongoose';
import { AUDIT_COLLECTION, type StoredAuditEntry } from '../../../recording/audit/chain.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

const fields = {
  _id: String,
  organisationId: String,
  workspaceId: { type: String, default: null },
  userId: String,
  userName: String,
  userType: String,
  resourceType: String,
  action: String,
  targetId: { type: String, default: null },
  targetName: String,
  changes: Schema.Types.Mixed,
  beforeDigest: String,
  afterDigest: String,
  outcome: String,
  responseStatusCode: Number,
  method: String,
  uri: String,
  requestId: String,
  requestBody: String,
  queryParams: String,
  requestHeaders: String,
  clientIp: String,
  country: String,
  userAgent: String,
  timestamp: Date,
  sequence: Number,
  previousHash: String,
  hash: String,
  unchainedBefore: Number,
} satisfies Record<keyof StoredAuditEntry, unknown>;

const schema = new Schema<StoredAuditEntry>(fields as SchemaDefinition<StoredAuditEntry>, {
  ...resourceSchema(AUDIT_COLLECTION),
  timestamps: false,
});
schema.index({ organisationId: 1, timestamp: -1, _id: -1 });
// One entry a place in the chain, whoever appends; entries of versions without a chain have no place.
schema.index(
  { organisationId: 1, sequence: 1 },
  { unique: true, partialFilterExpression: { sequence: { $gt: 0 } } },
);

export const auditLogModel = defineModel('AuditLog', schema);
