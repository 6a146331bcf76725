import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../storage/model.ts';

/** That a user has let the gateway act for them at the server behind an integration. */
export type McpConnectionDocument = {
  _id: string;
  organisationId: string;
  mcpIntegrationId: string;
  userId: string;
  /** Who issued the tokens, and takes them back. */
  issuer: string;
  /** Access and refresh token with what belongs to them: `Secrets.encrypt(JSON, _id)`; null once they were of no use any more. */
  sealedTokens: string | null;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<McpConnectionDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    mcpIntegrationId: { type: String, required: true },
    userId: { type: String, required: true },
    issuer: { type: String, required: true },
    sealedTokens: { type: String, default: null },
  },
  resourceSchema('mcp_connections'),
);
schema.index({ organisationId: 1, mcpIntegrationId: 1, userId: 1, issuer: 1 }, { unique: true });
schema.index({ organisationId: 1, mcpIntegrationId: 1, createdAt: -1, _id: -1 });

export const mcpConnectionModel = defineModel('McpConnection', schema);

/** That a browser was sent to an issuer, until it comes back. */
export type UpstreamFlowDocument = {
  /** `Secrets.hash` of the state. */
  _id: string;
  /** What belongs to it: `Secrets.encrypt(JSON, _id)`. */
  sealed: string;
  until: Date;
};

const flowSchema = new Schema<UpstreamFlowDocument>(
  { _id: String, sealed: { type: String, required: true }, until: { type: Date, required: true } },
  { collection: 'mcp_upstream_flows', versionKey: false, autoIndex: false, autoCreate: false },
);
flowSchema.index({ until: 1 }, { expireAfterSeconds: 0 });

export const upstreamFlowModel = defineModel('McpUpstreamFlow', flowSchema);
